"""What get_inputs() of a problem's file gives under a seed, for the inputs that it computes."""

import contextlib
import random
import sys

import torch

from .errors import SignatureMismatch

FLOATING = {"float32", "float16", "bfloat16"}
# What a file seeds itself, it would draw the same in every call.
SEEDS = [(torch, "manual_seed"), (torch, "seed"), (torch.random, "manual_seed"), (torch.random, "seed"),
         (torch.cuda, "manual_seed"), (torch.cuda, "manual_seed_all"), (random, "seed")]


def type_of(case_type):
    """How a computed input is stored for a case whose tensor has this type: kgrade rounds floating ones itself."""
    return "float32" if case_type in FLOATING else case_type


class ComputedInputs:
    """`module`: the file that has been run. `forward`: what forward() is called with, as get_inputs() has it: names of
    inputs, and values."""

    def __init__(self, module, forward, is_emulated):
        self.get_inputs = getattr(module, "get_inputs", None)
        self.forward = forward
        self.is_emulated = is_emulated
        self.is_on_host = False

    def draw(self, seed):
        """All that get_inputs() gives, in its order, always the same under a seed."""
        if self.get_inputs is None:
            raise SignatureMismatch("the file does not define it")
        values = self.drawn_on_device(seed)
        if values is None:
            seed_all(seed)
            with unseeded():
                values = self.get_inputs()
        if not isinstance(values, (list, tuple)) or len(values) != len(self.forward):
            raise SignatureMismatch(f"gives other values now than when it was looked at; return a list of "
                                    f"{len(self.forward)} each time")
        return values

    def drawn_on_device(self, seed):
        """Draws where nobody names a device are faster there; None where the file cannot be run so, as one that mixes
        them with arrays of NumPy."""
        if self.is_emulated or self.is_on_host:
            return None
        seed_all(seed)
        try:
            with torch.device("cuda"), unseeded():
                return self.get_inputs()
        except Exception:  # pylint: disable=broad-except
            # This one raises if a kernel has faulted; what is wrong with the file is raised on the host again.
            torch.cuda.synchronize()
            self.is_on_host = True
        return None

    def chosen(self, values, name, shape, dtype):
        value = values[self.forward.index(name)]
        if not isinstance(value, torch.Tensor):
            raise SignatureMismatch(f"gives a {type(value).__name__} for the input '{name}'; return a tensor")
        if (tuple(value.shape) or (1,)) != shape:
            raise SignatureMismatch(f"gives '{name}' of shape {list(value.shape)}, where the case has {list(shape)}; "
                                    "return the same shape each time")
        if value.dtype != dtype:
            types = f"{value.dtype}, where the problem has {dtype}".replace("torch.", "")
            raise SignatureMismatch(f"gives '{name}' of type {types}; return that type")
        return value.detach().view(shape) if not value.shape else value.detach()

    def finish(self):
        """What was written is there for others."""
        if not self.is_emulated:
            torch.cuda.synchronize()


def seed_all(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


@contextlib.contextmanager
def unseeded():
    """Where nothing seeds the generators that seed_all() has seeded."""
    numpy = sys.modules.get("numpy")
    places = [*SEEDS, (numpy.random, "seed")] if numpy is not None else SEEDS
    kept = [(owner, name, getattr(owner, name)) for owner, name in places]
    for owner, name, _ in kept:
        setattr(owner, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for owner, name, function in kept:
            setattr(owner, name, function)
