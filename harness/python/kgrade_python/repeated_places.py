"""Finds operators that write to repeated indices. Which value stays is undefined, as PyTorch's documentation says of
`index_copy_`, `scatter_` and `index_put_`. An honest answer to such a problem may differ from the expected one."""

import torch
from torch.utils._python_dispatch import _disable_current_modes


class RepeatedPlaces:
    """An observer (dispatch_mode.py). `notes`: a line for each operator that has, or may have, written to repeated places.
    In a run without memory the indices are unknown."""

    def __init__(self):
        self.seen = {}

    def before(self, operator, args, kwargs):
        places = places_of(operator, args, kwargs)
        if places is not None:
            repeats = have_repeats(operator.base, args, places)
            if repeats is not False:
                self.seen[operator.base] = repeats or self.seen.get(operator.base)

    @property
    def notes(self):
        return [f"forward() writes to places that repeat ({name}): PyTorch leaves undefined which value stays" if repeats
                else f"forward() writes by indices ({name}): where they repeat, PyTorch leaves undefined which value stays"
                for name, repeats in sorted(self.seen.items())]


def places_of(operator, args, kwargs):
    """The indices of an operator that may write different values to one place; None for any other operator."""
    name = operator.base
    if name == "index_copy" or name == "scatter" and operator.schema.overload_name == "src":
        return args[2]
    if name not in ("index_put", "index_put_impl"):
        return None
    accumulates = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
    if accumulates or args[2].numel() <= 1:
        return None
    indices = [each for each in args[1] if each is not None]
    return indices if all(each.dtype != torch.bool for each in indices) else None


def have_repeats(name, args, places):
    """Whether indices repeat; None if unknown."""
    tensors = places if isinstance(places, list) else [places]
    if any(type(each) is not torch.Tensor for each in tensors):
        return None
    with _disable_current_modes():
        return do_repeat(name, args, places, tensors)


def do_repeat(name, args, places, tensors):
    if name == "scatter":
        ordered = places.sort(dim=args[1]).values
        return bool((ordered.diff(dim=args[1]) == 0).any()) if places.dim() else False
    if name == "index_copy":
        return places.unique().numel() < places.numel()
    together = torch.stack([each.reshape(-1) for each in torch.broadcast_tensors(*tensors)])
    return together.unique(dim=1).shape[1] < together.shape[1]
