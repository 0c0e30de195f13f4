"""Remembers the forms of the results of operators on tensors without memory. PyTorch's own cache of them takes five times
longer."""

import functools

import torch
from torch._subclasses.fake_tensor import FakeTensor, in_kernel_invocation_manager

from .dispatch_mode import operator_of, tensors_in
from .draws import is_whole

# Views that PyTorch makes of tensors without memory as of others.
VIEWS = {"expand", "permute", "select", "slice", "squeeze", "t", "transpose", "unsqueeze", "view"}
NEW, VIEW, IN_PLACE = "new", "view", "in place"
# The results of these operators depend on more than the forms of their arguments, or arguments change their forms.
EXCLUDED_TAGS = {getattr(torch.Tag, name) for name in ("data_dependent_output", "dynamic_output_shape", "inplace_view")}
RESIZING = {"resize_", "resize_as_", "set_"}


class RememberedResults:
    """Runs operators that return one floating tensor without memory. `fake`: the FakeTensorMode, which must be active
    in run()."""

    def __init__(self, fake):
        self.fake = fake
        self.forms = {}  # key of a call: (shape, strides, type, device) of its result

    def run(self, function, args, kwargs):
        kind = kind_of(function)
        if kind is None or torch.is_grad_enabled() or (kind is not NEW and not is_without_memory(args[0])):
            return function(*args, **kwargs)
        if kind is VIEW:
            with in_kernel_invocation_manager(self.fake):
                view = function(*args, **kwargs)
            return FakeTensor(self.fake, view, args[0].fake_device)
        key = key_of(function, args, kwargs)
        form = self.forms.get(key)
        if form is None:
            result = function(*args, **kwargs)
            if key is not None and is_plain(result) and (kind is IN_PLACE or is_new(result, args)):
                self.forms[key] = result.shape, result.stride(), result.dtype, result.fake_device
            return result
        if kind is IN_PLACE:
            return args[0]
        shape, strides, dtype, device = form
        with in_kernel_invocation_manager(self.fake):
            result = torch.empty_strided(shape, strides, dtype=dtype, device="meta")
        return FakeTensor(self.fake, result, device)


@functools.cache
def kind_of(function):
    """What an operator returns: a NEW tensor, a VIEW, or a tensor that it has written IN_PLACE. None for an operator that
    has to run each time."""
    operator = operator_of(function)
    returns = operator.schema.returns
    if function.namespace != "aten" or EXCLUDED_TAGS & {*function.tags} or operator.name in RESIZING:
        return None
    if len(returns) != 1 or str(returns[0].type) != "Tensor":
        return None
    if operator.is_view:
        return VIEW if operator.name in VIEWS else None
    positions = [position for position, _ in operator.written]
    if returns[0].alias_info is None:
        return None if positions else NEW
    return IN_PLACE if positions == [0] else None


def key_of(function, args, kwargs):
    """What the form of a call's result depends on; None if it is not known."""
    key = [function, torch.get_default_dtype()]
    try:
        add_form(key, args)
        add_form(key, tuple(kwargs.items()))
        key = tuple(key)
        hash(key)
    except (RuntimeError, TypeError):
        return None
    return key


def add_form(key, value):
    """Adds a value's form to a key. Raises TypeError or RuntimeError for other tensors than those of plain numbers."""
    kind = type(value)
    if kind is FakeTensor:
        if value.dtype.is_complex:
            raise TypeError
        key += (value.constant is None, value.shape, value.stride(), value.dtype, value.fake_device)
    elif kind in (list, tuple):
        key += (kind, len(value))
        for each in value:
            add_form(key, each)
    elif isinstance(value, torch.Tensor):
        if kind not in (torch.Tensor, torch.nn.Parameter) or value.dtype.is_complex:
            raise TypeError
        key += (kind, value.shape, value.stride(), value.dtype, value.device)
    else:
        key += (kind, value)


def is_without_memory(value):
    """Whether a value is a tensor whose elements PyTorch does not know either, as it does for torch.tensor(0.5)."""
    return type(value) is FakeTensor and value.constant is None


def is_plain(result):
    return is_without_memory(result) and result.is_floating_point() and result.layout == torch.strided


def is_new(result, args):
    """Whether a result is all of a storage of its own."""
    return is_whole(result) and all(
        result.untyped_storage() is not each.untyped_storage() for each in tensors_in(args))
