"""Inputs that get_inputs() of a problem's file computes, drawn under a seed."""

import torch

from .errors import SignatureMismatch
from .forward_arguments import found_in
from .seeds import seed_all, unseeded
from .varied_draws import family_of, varied, without_family


class ComputedInputs:
    """`module`: the file, which has been run."""

    def __init__(self, module, is_emulated):
        self.module = module
        self.get_inputs = None
        self.is_emulated = is_emulated
        self.is_on_host = False

    def draw(self, seed, forward, case=None):
        """Everything that get_inputs() returns, in its order. The same seed always gives the same values. The seed's
        low bits are the number of a family of inputs (varied_draws.py). `forward`: the description of each argument of
        forward(), in the order of get_inputs(). `case`: the number in the file's CASES, if it has such."""
        get_inputs = getattr(self.module, "get_inputs", None)
        if get_inputs is None:
            raise SignatureMismatch("the file does not define it")
        self.get_inputs = get_inputs if case is None else lambda: get_inputs(self.module.CASES[case])
        values = self.drawn_on_device(seed)
        if values is None:
            values = self.drawn_on_host(seed)
        if not isinstance(values, (list, tuple)) or len(values) != len(forward):
            raise SignatureMismatch(f"gives other values now than when it was looked at; return a list of "
                                    f"{len(forward)} each time")
        return values

    def drawn_on_device(self, seed):
        """Draws on the device where the file names none, which is faster. None if the file cannot run in this way, for
        example because it mixes its tensors with NumPy's arrays."""
        if self.is_emulated or self.is_on_host:
            return None
        seed_all(seed)
        try:
            with torch.device("cuda"), unseeded(), varied(seed):
                return self.get_inputs()
        except Exception:  # pylint: disable=broad-except
            # This raises if a kernel has faulted. Other errors of the file are raised again when it runs on the host.
            torch.cuda.synchronize()
            if not family_of(seed):
                self.is_on_host = True
        return None

    def drawn_on_host(self, seed):
        """Draws on the host. If the file fails with the numbers of a family, it draws its own numbers."""
        seed_all(seed)
        try:
            with unseeded(), varied(seed):
                return self.get_inputs()
        except Exception:  # pylint: disable=broad-except
            if not family_of(seed):
                raise
        return self.drawn_on_host(without_family(seed))

    def finish(self):
        """Waits until the written inputs can be read by others."""
        if not self.is_emulated:
            torch.cuda.synchronize()


def chosen(values, forward, name, shape, dtype):
    """The input `name` of what get_inputs() returned. Raises SignatureMismatch if it has another shape or type."""
    value = next((found for part in zip(forward, values) if (found := found_in(*part, name)) is not None), None)
    if not isinstance(value, torch.Tensor):
        raise SignatureMismatch(f"gives a {type(value).__name__} for the input '{name}'; return a tensor")
    if tuple(value.shape) != shape and (value.shape or shape != (1,)):
        raise SignatureMismatch(f"gives '{name}' of shape {list(value.shape)}, where the case has {list(shape)}; "
                                "return the same shape each time")
    if value.dtype != dtype:
        types = f"{value.dtype}, where the problem has {dtype}".replace("torch.", "")
        raise SignatureMismatch(f"gives '{name}' of type {types}; return that type")
    return value.detach().view(shape) if not value.shape else value.detach()
