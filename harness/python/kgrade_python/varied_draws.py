"""Families of inputs (harness/draw/family.h) for inputs that get_inputs() computes. Only the random numbers of
PyTorch's generators are changed. The file computes its inputs from the changed numbers."""

import contextlib

import torch

from .dispatch_mode import DispatchMode, operator_of

# The low bits of a seed are the number of a family (harness/base/draw_kind.h). Number 0 changes nothing.
FAMILY_BITS = 5
FAMILIES = {1: "one_value", 2: "few_values", 3: "runs", 6: "ends", 7: "sparse", 9: "nonnegative", 10: "nonpositive",
            12: "shifted", 15: "scaled", 16: "spikes"}
# The families that fit a distribution. Numbers get one of them if the seed's family does not fit their distribution.
OF_WHOLE = ("one_value", "few_values", "runs", "ends")
OF_NORMAL = ("nonnegative", "nonpositive", "shifted", "spikes")
OF_UNIFORM = ("scaled", "sparse")

NORMAL = {"randn", "randn_like", "normal", "normal_"}
UNIFORM = {"rand", "rand_like", "uniform_"}
INTEGERS = {"randint", "randint_like", "random_"}

SMALL = 2**-4  # the factor of most elements of a sparse tensor, as in harness/draw/input_families.cc
ELEMENTS_THAT_COUNT = 8
MOST_DOUBLINGS = 3


def family_of(seed):
    return seed % 2**FAMILY_BITS


def without_family(seed):
    return seed - family_of(seed)


def varied(seed):
    """A context in which PyTorch's generators draw numbers of the family in `seed`."""
    return VariedDraws(seed) if family_of(seed) else contextlib.nullcontext()


def has_both_signs(values):
    return bool((values < 0).any() and (values > 0).any())


def reaches_0(values):
    """Whether the numbers seem to come from a range with 0 in it: they have both signs, or their magnitudes differ by a
    factor of more than 16."""
    return has_both_signs(values) or bool(values.abs().min() * 16 < values.abs().max())


class VariedDraws(DispatchMode):
    """Changes every tensor that a generator draws, according to the family in `seed`. If this family does not fit the
    tensor's distribution, another one is used: only whole numbers are repeated, and numbers of one sign keep that
    sign."""

    def __init__(self, seed):
        super().__init__()
        self.family = FAMILIES.get(family_of(seed), "own")
        self.seed = seed
        self.generators = {}  # by device

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = operator_of(function).name
        kinds = [kind for kind in (NORMAL, UNIFORM, INTEGERS) if name in kind]
        if not kinds or result.numel() == 0 or result.is_complex():
            return result
        change = getattr(self, self.family_for(kinds[0]), None)
        return result if change is None else result.copy_(change(result))

    def family_for(self, kind):
        if kind is INTEGERS and self.family not in OF_WHOLE:
            return OF_WHOLE[family_of(self.seed) % len(OF_WHOLE)]
        if kind is NORMAL and self.family in OF_WHOLE:
            return OF_NORMAL[family_of(self.seed) % len(OF_NORMAL)]
        if kind is UNIFORM and self.family in (*OF_WHOLE, *OF_NORMAL):
            return OF_UNIFORM[family_of(self.seed) % len(OF_UNIFORM)]
        return self.family

    def generator(self, device):
        if device not in self.generators:
            self.generators[device] = torch.Generator(device).manual_seed(self.seed)
        return self.generators[device]

    def number(self, below):
        return int(torch.randint(below, (1,), generator=self.generator("cpu"), device="cpu"))

    def fractions(self, like):
        return torch.rand(like.shape, generator=self.generator(like.device), device=like.device)

    def chosen(self, values):
        return self.fractions(values) < ELEMENTS_THAT_COUNT / max(values.shape[-1] if values.dim() else 1, ELEMENTS_THAT_COUNT)

    def nonnegative(self, values):
        return values.abs() if has_both_signs(values) else values

    def nonpositive(self, values):
        return -values.abs() if has_both_signs(values) else values

    def shifted(self, values):
        """Moves the mean by two deviations, the largest shift for an input without a `domain`."""
        if not has_both_signs(values):
            return values
        return values + (2 - 4 * self.number(2)) * values.std(correction=0)

    def scaled(self, values):
        exponent = 1 + self.number(MOST_DOUBLINGS)
        if has_both_signs(values):
            return values * 2.0 ** (exponent if self.number(2) else -exponent)
        return values * 2.0**-exponent if reaches_0(values) else values

    def sparse(self, values):
        return torch.where(self.chosen(values), values, values * SMALL) if reaches_0(values) else values

    def spikes(self, values):
        """Makes a few elements larger, so that they have about a quarter of a row's sum of squares."""
        size = (values.shape[-1] if values.dim() else 1) / 3 / ELEMENTS_THAT_COUNT
        if size <= 1 or not has_both_signs(values):
            return values
        return torch.where(self.chosen(values), values * size**0.5, values)

    def one_value(self, values):
        return values.reshape(-1)[0].expand(values.shape).clone()

    def few_values(self, values):
        flat = values.reshape(-1)
        return flat[torch.arange(len(flat), device=flat.device) % min(3, len(flat))].reshape(values.shape)

    def runs(self, values):
        flat = values.reshape(-1)
        length = 2 + self.number(64)
        return flat[torch.arange(len(flat), device=flat.device) // length * length].reshape(values.shape)

    def ends(self, values):
        return torch.where(self.fractions(values) < 0.5, values.min(), values.max())
