"""Families of inputs (harness/draw/family.h) for what get_inputs() computes: the random numbers of PyTorch's generators
are changed, and what the file makes of them stays."""

import contextlib

import torch

from .dispatch_mode import DispatchMode

# The low bits of a seed are the number of a family (harness/base/draw_kind.h). Number 0 changes nothing.
FAMILY_BITS = 5
FAMILIES = {1: "one_value", 2: "few_values", 3: "runs", 6: "ends", 7: "sparse", 9: "nonnegative", 10: "nonpositive",
            11: "signs", 12: "shifted", 15: "scaled", 16: "spikes"}

NORMAL = {"randn", "randn_like", "normal", "normal_"}
UNIFORM = {"rand", "rand_like", "uniform_"}
INTEGERS = {"randint", "randint_like", "random_"}

SMALL = 2**-8  # the factor of most elements of a sparse tensor, as in harness/draw/input_families.cc
ELEMENTS_THAT_COUNT = 8
MOST_DOUBLINGS = 3


def family_of(seed):
    return seed % 2**FAMILY_BITS


def varied(seed):
    """A context in which PyTorch's generators draw what the family in `seed` says."""
    return VariedDraws(seed) if family_of(seed) else contextlib.nullcontext()


class VariedDraws(DispatchMode):
    """Changes every tensor that a generator draws, as the family in `seed` says. A family that does not fit the
    distribution leaves the numbers as they are: numbers of one sign keep it, and only whole numbers are repeated."""

    def __init__(self, seed):
        super().__init__()
        self.family = FAMILIES.get(family_of(seed), "own")
        self.random = torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function._schema.name.rpartition("::")[2]  # pylint: disable=protected-access
        kinds = [kind for kind in (NORMAL, UNIFORM, INTEGERS) if name in kind]
        change = getattr(self, f"whole_{self.family}" if INTEGERS in kinds else self.family, None)
        if change is None or not kinds or result.numel() == 0:
            return result
        changed = change(result, kinds[0] is NORMAL)
        return result.copy_(changed) if name.endswith("_") else changed.to(result.dtype)

    def number(self, below):
        return int(torch.randint(below, (1,), generator=self.random, device="cpu"))

    def fractions(self, like):
        return torch.rand(like.shape, generator=self.random, device="cpu").to(like.device)

    def chosen(self, values):
        return self.fractions(values) < ELEMENTS_THAT_COUNT / max(values.shape[-1] if values.dim() else 1, ELEMENTS_THAT_COUNT)

    def nonnegative(self, values, is_normal):
        return values.abs() if is_normal else values

    def nonpositive(self, values, is_normal):
        return -values.abs() if is_normal else values

    def signs(self, values, is_normal):
        return torch.where(self.fractions(values) < 0.5, values.abs(), -values.abs()) if is_normal else values

    def shifted(self, values, is_normal):
        """By at most two deviations, as without a `domain`."""
        return values + (2 - 4 * self.number(2)) * values.std(correction=0) if is_normal else values

    def scaled(self, values, is_normal):
        exponent = 1 + self.number(MOST_DOUBLINGS)
        return values * 2.0 ** (exponent if is_normal and self.number(2) else -exponent)

    def sparse(self, values, _):
        return torch.where(self.chosen(values), values, values * SMALL)

    def spikes(self, values, is_normal):
        """Those of a row have a quarter of its squares."""
        if not is_normal:
            return values
        size = (values.shape[-1] if values.dim() else 1) / 3 / ELEMENTS_THAT_COUNT
        return torch.where(self.chosen(values), values.sign() * values.std(correction=0) * size**0.5, values)

    def whole_one_value(self, values, _):
        return values.reshape(-1)[:1].expand(values.shape).clone()

    def whole_few_values(self, values, _):
        flat = values.reshape(-1)
        return flat[torch.arange(len(flat), device=flat.device) % min(3, len(flat))].reshape(values.shape)

    def whole_runs(self, values, _):
        flat = values.reshape(-1)
        length = 2 + self.number(64)
        return flat[torch.arange(len(flat), device=flat.device) // length * length].reshape(values.shape)

    def whole_ends(self, values, _):
        return torch.where(self.fractions(values) < 0.5, values.min(), values.max())
