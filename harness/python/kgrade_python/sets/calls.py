"""Calls of a function with arguments that a set's own program makes: which of them can be graded, and their names."""

import torch
from torch.utils import _pytree as pytree

from ..backward import tensors_in
from ..module_file import FileError
from ..module_run import NO_NUMBERS, has_numbers

# The most axes of a shape in the name of a case.
MOST_AXES = 5
# The types of arguments that a case may have.
PLAIN = (torch.Tensor, int, float, str, type(None))


class Observed:
    """A call on the host. `result`: what the function returned. `reason`: why the call cannot be graded, or None."""

    def __init__(self, function, args, kwargs):
        state = torch.get_rng_state()
        self.result = function(*args, **kwargs)
        self.reason = reason_against(args, kwargs, self.result)
        if not torch.equal(state, torch.get_rng_state()):
            self.reason = "it draws random numbers"


def reason_against(args, kwargs, result):
    strange = [each for each in pytree.tree_leaves((args, kwargs)) if not isinstance(each, PLAIN)]
    if strange:
        return f"it gets a {type(strange[0]).__name__}"
    given, results = tensors_in((args, kwargs)), pytree.tree_leaves(result)
    if not given:
        return "it gets no tensors"
    strange = [each for each in results if not isinstance(each, torch.Tensor)]
    if strange or not results:
        return f"it returns a {type(strange[0]).__name__}" if strange else "it returns nothing"
    if any(each.numel() == 0 for each in results):
        return "an output is empty"
    strange = next((reason for reason in map(reason_against_tensor, [*given, *results]) if reason), None)
    return strange or (None if all(map(has_numbers, results)) else NO_NUMBERS)


def reason_against_tensor(tensor):
    if tensor.is_complex():
        return "a tensor is complex"
    if tensor.layout != torch.strided or tensor.is_quantized:
        return "a tensor is not dense"
    return None


def case_of(letter, number, args, kwargs):
    """An entry of CASES for call `number`, counted from 0."""
    tensors = tensors_in((args, kwargs))
    extents = "x".join(map(str, tensors[0].shape[:MOST_AXES])) if tensors else ""
    return {"name": f"{letter}{number + 1:02}-{extents or 'scalar'}", "role": "test", "data": number,
            "bytes": sum(each.numel() * each.element_size() for each in tensors)}


def mark_largest(cases, what):
    """Makes the case of the most bytes the measured one. `what`: "call of blend()". Raises ValueError if all cases are
    left out."""
    gradable = [case for case in cases if "left_out" not in case]
    if not gradable:
        reasons = ", ".join(dict.fromkeys(case["left_out"] for case in cases if case["data"] is not None)) or "there is none"
        raise FileError(f"no {what} can be graded: {reasons}; choose another problem")
    max(gradable, key=lambda case: case["bytes"])["role"] = "bench"


def refuse_left_out(case):
    """Raises FileError for a case that cannot be graded. Such a case stays among the cases, because a case is known by
    its place there."""
    if "left_out" in case:
        raise FileError(case["left_out"])
