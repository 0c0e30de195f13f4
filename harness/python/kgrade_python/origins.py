"""Finds from which tensors the tensors of get_inputs() are computed."""

import contextlib

import torch

from .dispatch_mode import DispatchMode
from .draws import MADE, MADE_BY_OVERLOAD, RANDOM, short_name, storage_of

# Operators that hand elements to Python. Everything later may depend on these elements.
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


class OriginLog(DispatchMode):
    """Notes the origins of all tensors that are made while this mode is active."""

    def __init__(self):
        super().__init__()
        self.known = {}
        # Whether Python has read elements that may be random.
        self.was_read = False
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        for name in READING_METHODS:
            self.stack.enter_context(self.watched(name))
        return super().__enter__()

    def __exit__(self, *error):
        self.stack.close()
        return super().__exit__(*error)

    @contextlib.contextmanager
    def watched(self, name):
        """Wraps a method of tensors that reads elements without an operator."""
        method = getattr(torch.Tensor, name)

        def read(tensor, *arguments, **keywords):
            self.note_read([tensor])
            return method(tensor, *arguments, **keywords)

        setattr(torch.Tensor, name, read)
        try:
            yield
        finally:
            setattr(torch.Tensor, name, method)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        self.note(function, args, kwargs, result)
        return result

    def note(self, function, args, kwargs, result):
        name = short_name(function)
        overload = f"{name}.{function._schema.overload_name}"  # pylint: disable=protected-access
        given = list(tensors_in([*args, *kwargs.values()]))
        if name in READS:
            self.note_read(given)
        # These operators read only the shapes of tensors.
        reads = [] if name in MADE or overload in MADE_BY_OVERLOAD else [self.origin_of(each) for each in given]
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


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


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
