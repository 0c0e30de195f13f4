"""The arithmetic of the oracle: a forward computes in float64, whatever floating types it names."""

import re

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from .dispatch_mode import DispatchMode, operator_of
from .draws import storage_of
from .scaled_products import DEFINITIONS

# What PyTorch says if an operator does not take tensors of float64.
REFUSED = re.compile(r"Double|float64|not implemented|[Ff]loat [Tt]ensor|dtype|scalar type")


def is_narrower(dtype):
    """Whether a type is a real type below float64. Packed codes are no numbers."""
    return dtype.is_floating_point and dtype != torch.float64 and not is_packed(dtype)


def is_packed(dtype):
    return str(dtype).endswith("_x2")


def is_float8(dtype):
    return dtype.is_floating_point and dtype.itemsize == 1 and not is_packed(dtype)


def is_double(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def takes_dtype(function):
    return "dtype" in operator_of(function).arguments


class WideArithmetic(DispatchMode):
    """Makes every floating tensor of a forward one of float64. A cast to a type of 32 or 16 bits does not round. A cast
    to a type of 8 bits rounds, since such a cast is part of what the file asks for: it chooses codes. Integers stay
    integers, and their bits may be read as those of a floating type, and the reverse.

    Generators draw other numbers for each type. So random numbers are drawn in the type that the reference has there:
    `default`, unless the file names a type; `dtype` for numbers that are drawn for a tensor. What is drawn by computed
    probabilities depends on their last bits. So the results of these operators are taken from `choices`, those of a run in
    the file's types (Choices). `has_chosen`: whether there was such an operator."""

    DRAWS = {"rand", "randn", "rand_like", "randn_like", "normal", "bernoulli", "uniform_", "normal_", "bernoulli_",
             "exponential_", "cauchy_", "geometric_", "log_normal_"}

    def __init__(self, default, dtype, choices=()):
        super().__init__()
        self.default, self.dtype = default, dtype
        self.choices, self.has_chosen = iter(choices), False
        self.types = {}  # storage: (weak reference to it, the type that its tensor has in the file)

    def note_type(self, tensor, dtype):
        """Notes the type that a tensor has in the file."""
        self.types[storage_of(tensor)] = (StorageWeakRef(tensor.untyped_storage()), dtype)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = operator_of(function).name
        if name in Choices.OPERATORS:
            self.has_chosen = True
            choice, states = next(self.choices, (None, []))
            if choice is not None:
                set_states(states)
                return widened(choice)
        if name in self.DRAWS or name == "native_dropout":
            return self.draw(function, name, args, kwargs)
        if name == "view" and len(args) > 1 and isinstance(args[1], torch.dtype):
            return self.reinterpreted(function, *args)
        written = dict(operator_of(function).written)
        args = [each if i in written else widened(each) for i, each in enumerate(args)]
        named = kwargs.get("dtype", kwargs.get("out_dtype"))
        kwargs = {key: wide_type(each) if isinstance(each, torch.dtype) else widened(each) if key != "out" else each
                  for key, each in kwargs.items()}
        try:
            result = DEFINITIONS.get(name, function)(*args, **kwargs)
        except (RuntimeError, TypeError) as error:
            if not REFUSED.search(str(error)):
                raise
            raise TypeError(f"{name} cannot be computed in float64, as the oracle does: {error}") from error
        if isinstance(named, torch.dtype) and is_narrower(named) and is_double(result):
            if is_float8(named):
                result = result.to(named).double()
            self.note_type(result, named)
        return result

    def reinterpreted(self, function, tensor, dtype):
        """The bits of a tensor as those of another type."""
        if is_double(tensor):
            tensor = tensor.to(self.type_of(tensor, dtype))
        result = function(tensor, dtype)
        if not is_narrower(dtype):
            return result
        wide = result.double()
        self.note_type(wide, dtype)
        return wide

    def type_of(self, tensor, wanted):
        """The type that a tensor has in the file. A computed tensor whose bits are read has most likely as many bits as
        the type that they are read as."""
        reference, dtype = self.types.get(storage_of(tensor), (None, None))
        if reference is not None and not reference.expired():
            return dtype
        for likely in (torch.float32, self.dtype):
            if likely.itemsize == wanted.itemsize:
                return likely
        raise TypeError(f"forward() reads the bits of a computed tensor as {wanted}, and the oracle has this tensor in "
                        "float64")

    def draw(self, function, name, args, kwargs):
        named = kwargs.get("dtype")
        if named in (None, torch.float64):  # float64 is the default while the oracle runs
            named = self.default if takes_dtype(function) and not name.endswith("_like") else self.dtype
        if name == "native_dropout":
            return self.dropout(function, *args) if is_double(args[0]) else function(*args, **kwargs)
        if name.endswith("_"):
            if not is_double(args[0]):
                return function(*args, **kwargs)
            return args[0].copy_(function(args[0].to(named), *args[1:], **kwargs))
        if not named.is_floating_point:
            return function(*args, **kwargs)
        args = tuple(each.to(named) if is_double(each) else each for each in args)
        if takes_dtype(function):
            kwargs = {**kwargs, "dtype": named}
        return function(*args, **kwargs).double()

    def dropout(self, function, values, rate, is_training):
        if is_training is False or rate >= 1:
            return function(values, rate, is_training)
        _, mask = function(torch.ones_like(values, dtype=self.dtype), rate, is_training)
        return values * mask / (1 - rate), mask


class Choices(DispatchMode):
    """Keeps the results of operators that draw by probabilities, in `results`: (result, the generators' states after it)."""

    OPERATORS = {"multinomial", "bernoulli", "poisson", "binomial"}

    def __init__(self):
        super().__init__()
        self.results = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if operator_of(function).name in self.OPERATORS:
            self.results.append((result.clone(), states_of_generators()))
        return result


def generators():
    on_gpu = torch.cuda.default_generators[:1] if torch.cuda.is_initialized() else ()
    return [torch.default_generator, *on_gpu]


def states_of_generators():
    return [each.get_state() for each in generators()]


def set_states(states):
    for generator, state in zip(generators(), states):
        generator.set_state(state)


def wide_type(dtype):
    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if is_narrower(dtype) else dtype


def widened(value):
    """A value with its floating tensors in float64."""
    if isinstance(value, torch.Tensor):
        return value.double() if is_narrower(value.dtype) else value
    if type(value) in (list, tuple):
        return type(value)(widened(each) for each in value)
    return value
