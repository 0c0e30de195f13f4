"""Finds from which tensors the tensors of get_inputs() are computed."""

import torch

from .dispatch_mode import tensors_in
from .draws import MADE, MADE_BY_OVERLOAD, RANDOM, storage_of

# Operators and methods that hand elements to Python. Everything later may depend on these elements.
READS = {"_local_scalar_dense", "equal", "is_nonzero"}
READING_METHODS = ("numpy", "tolist", "__array__")


class Origin:
    """The other storages from which the elements of one storage were computed. `is_random`: whether the elements
    depend on random numbers; None if unknown."""

    def __init__(self, is_random=False):
        self.sources = set()
        self.is_random = is_random

    def take(self, other):
        if other is self:
            return
        self.sources |= {other} | other.sources
        if self.is_random is not True:
            self.is_random = other.is_random if other.is_random is not False else self.is_random


class OriginLog:
    """An observer (dispatch_mode.py) that notes the origins of all tensors that are made."""

    def __init__(self):
        self.known = {}
        # Whether Python has read elements that may be random.
        self.was_read = False

    def after(self, operator, args, kwargs, result):
        name = operator.name
        given = list(tensors_in([*args, *kwargs.values()]))
        if name in READS:
            self.note_read(given)
        # These operators read only the shapes of tensors.
        is_made = name in MADE or operator.overload in MADE_BY_OVERLOAD
        reads = [] if is_made else [self.origin_of(each) for each in given]
        seen = {storage_of(each) for each in given}
        # A file that uses its own generator draws the same numbers each time.
        is_random = name in RANDOM and kwargs.get("generator") is None
        written = given[:1] if name.endswith("_") or "out" in kwargs else []
        for each in [*tensors_in([result]), *written]:
            if storage_of(each) not in seen:
                self.known[storage_of(each)] = Origin()
            origin = self.origin_of(each)
            for other in reads:
                origin.take(other)
            origin.is_random = True if is_random else origin.is_random

    def note_read(self, tensors):
        self.was_read = self.was_read or any(self.origin_of(each).is_random is not False for each in tensors)

    def origin_of(self, tensor):
        """The origin of a tensor. Unknown if no operator has made the tensor, such as one made from a NumPy array."""
        return self.known.setdefault(storage_of(tensor), Origin(is_random=None))


def computed_together(tensors, computed, log):
    """The positions of the inputs that must be computed: those in `computed`, and the inputs from which they were
    computed, so that inputs that depend on each other stay consistent."""
    if log.was_read:
        return set(range(len(tensors)))
    origins = {i: log.origin_of(each) for i, each in enumerate(tensors) if isinstance(each, torch.Tensor)}
    needed = set()
    for i in computed:
        needed |= {origins[i]} | origins[i].sources
    return {i for i, origin in origins.items() if i in computed or origin in needed}
