"""Runs a file without computing anything in floating point. Floating tensors have no memory. Integers and booleans have
values, because a file may loop over lengths or offsets, or choose rows by indices."""

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.distributions import Distribution

from .dispatch_mode import DispatchMode, operator_of, tensors_in
from .remembered_results import RememberedResults

# Factories of integers, if no type is named.
OF_INTEGERS = {"arange", "randint", "randperm"}
# Reads an element in Python.
READ = "_local_scalar_dense"
# The most integers that are made up. More than that, such as the places of a pooling's maxima, have no memory either.
MOST_GUESSED = 1 << 22
OF_MODULE = torch.nn.Module._apply


def applied(module, function, recurse=True):
    """Module._apply(), as in `module.to(device)`. PyTorch's own cannot exchange tensors that have no memory."""
    for part in module.children() if recurse else ():
        applied(part, function)
    for name, each in module._parameters.items():
        if each is not None:
            module._parameters[name] = torch.nn.Parameter(function(each.detach()), each.requires_grad)
    module._buffers.update({name: function(each) for name, each in module._buffers.items() if each is not None})
    return module


class KnownIntegers(DispatchMode):
    """A mode in which floating tensors have no memory, and integers and booleans have values. Those that depend on
    floating numbers have made-up values: indices along an axis are 0, 1, 2, ..., and every second boolean is true.
    A floating number cannot be read in Python. `has_read`: whether Python may have read made-up values."""

    def __init__(self):
        super().__init__()
        self.fake = FakeTensorMode(allow_non_fake_inputs=True)
        self.results = RememberedResults(self.fake)
        self.has_guessed = self.has_read = False

    def __enter__(self):
        self.fake.__enter__()
        torch.nn.Module._apply = applied
        # A distribution checks its arguments, which have no values here.
        Distribution.set_default_validate_args(False)
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        torch.nn.Module._apply = OF_MODULE
        Distribution.set_default_validate_args(__debug__)
        return self.fake.__exit__(*error)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = operator_of(function).name
        tensors = list(tensors_in([*args, *kwargs.values()]))
        if name == READ:
            self.has_read = self.has_read or self.has_guessed
        if not self.is_of_integers(name, tensors, args, kwargs):
            return mapped(lambda each: self.known(each, function, args, tensors), self.results.run(function, args, kwargs))
        with unset_fake_temporarily():
            result = function(*args, **kwargs)
        return mapped(self.without_memory, result)

    @staticmethod
    def is_of_integers(name, tensors, args, kwargs):
        """Whether an operator takes no floating tensor, and is not told to return one (by `dtype`, or by the default of
        a factory such as zeros)."""
        dtype = kwargs.get("dtype")
        if dtype is not None:
            is_integer = not (dtype.is_floating_point or dtype.is_complex)
        else:
            is_integer = bool(tensors) or name in OF_INTEGERS or (name == "full" and isinstance(args[1], int))
        return is_integer and not any(isinstance(each, FakeTensor) or each.is_floating_point() for each in tensors)

    def without_memory(self, value):
        is_real = isinstance(value, torch.Tensor) and value.is_floating_point() and not isinstance(value, FakeTensor)
        return self.fake.from_tensor(value) if is_real else value

    def known(self, value, function, args, tensors):
        """Returns `value`, the result of an operator with the arguments `args`, which has floating numbers among its
        `tensors`. If the value holds integers or booleans, these get made-up values."""
        if not isinstance(value, FakeTensor) or value.is_floating_point() or value.is_complex():
            return value
        if value.numel() > MOST_GUESSED and value.dtype != torch.bool:
            return value
        for given in tensors:
            if given.dtype == value.dtype and given.untyped_storage() is value.untyped_storage():
                return given
        self.has_guessed = True
        choices = 2 if value.dtype == torch.bool else choices_of(function, args)
        with unset_fake_temporarily():
            return (torch.arange(value.numel()) % choices).to(value.dtype).reshape(value.shape)


def mapped(change, result):
    """The result of an operator, with each of its values changed."""
    return type(result)(map(change, result)) if isinstance(result, (list, tuple)) else change(result)


def choices_of(function, args):
    """The number of different indices that an operator may return. For topk, it is the length of the axis; for an
    operator without an axis, it is taken to be 2."""
    names = operator_of(function).arguments
    if not args or not isinstance(args[0], torch.Tensor) or args[0].dim() == 0 or "dim" not in names:
        return 2
    place = names.index("dim")
    axis = args[place] if place < len(args) else -1
    if isinstance(axis, (list, tuple)):
        return 2
    return max(1, args[0].numel() if axis is None else args[0].shape[axis])
