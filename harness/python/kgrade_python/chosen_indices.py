"""Finds outputs that are indices of an input's elements, by watching PyTorch's operators while a forward runs."""

import torch

from .draws import is_alike, storage_of

# The position of the indices among an operator's results; None if they are the only result.
OPERATORS = {"argmax": None, "argmin": None, "max": 1, "min": 1, "sort": 1, "topk": 1, "kthvalue": 1, "median": 1,
             "nanmedian": 1, "cummax": 1, "cummin": 1}
# The operators that never give an index twice along the axis.
DISTINCT = {"sort", "topk"}


class IndexLog:
    """An observer (dispatch_mode.py) that notes the operators that choose elements by their values."""

    def __init__(self):
        self.chosen = {}

    def after(self, operator, args, kwargs, result):
        if operator.name not in OPERATORS:
            return
        place = OPERATORS[operator.name]
        indices = result if place is None else result[place] if isinstance(result, (tuple, list)) else None
        if isinstance(indices, torch.Tensor) and args and isinstance(args[0], torch.Tensor):
            # Keep both tensors, so that no other tensor gets their storage.
            self.chosen[storage_of(indices)] = (indices, args[0], axis_of(operator, args, kwargs),
                                                operator.name in DISTINCT)

    def source_of(self, output):
        """(tensor, axis, is_distinct) if an output's elements are indices of a tensor's elements along an axis; else
        None. The axis is None if the indices are those of the flattened tensor. `is_distinct`: no index occurs twice
        along the axis."""
        indices, source, axis, is_distinct = self.chosen.get(storage_of(output), (None, None, None, False))
        if indices is None or indices.numel() != output.numel() or not (indices.is_contiguous() and output.is_contiguous()):
            return None
        return source, axis, is_distinct

    def input_of(self, output, inputs):
        """{"input": name, "axis": number or None} if an output's elements are indices of one of `inputs` (by name);
        else None. If no index may occur twice along the axis, there is also "distinct": True."""
        source = self.source_of(output)
        if source is None:
            return None
        for name, tensor in inputs.items():
            if storage_of(tensor) == storage_of(source[0]) and is_alike(tensor, source[0]):
                return {"input": name, "axis": source[1]} | ({"distinct": True} if source[2] else {})
        return None


def axis_of(operator, args, kwargs):
    for position, argument in enumerate(operator.schema.arguments):
        if argument.name == "dim":
            if position < len(args):
                return args[position]
            return kwargs.get("dim", argument.default_value if argument.has_default_value() else None)
    return None
