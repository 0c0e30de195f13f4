"""The modes that see every operator of a run, and what is known of an operator."""

import functools
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Operator:
    """What an operator's schema says. `name`: "mul_" for aten::mul_.Tensor. `overload`: "mul_.Tensor". `base`: the name
    without the underscores around it. `arguments`: the names of the arguments. `written`: (position, name) of each
    argument that the operator writes to. `is_view`: whether a result shares an argument's memory, unless it is written."""

    def __init__(self, function):
        schema = self.schema = function._schema  # pylint: disable=protected-access
        self.name = schema.name.rpartition("::")[2]
        self.overload = f"{self.name}.{schema.overload_name}" if schema.overload_name else self.name
        self.base = self.name.strip("_")
        self.arguments = [each.name for each in schema.arguments]
        self.written = [(i, each.name) for i, each in enumerate(schema.arguments) if is_written(each)]
        self.is_view = any(each.alias_info is not None and not each.alias_info.is_write for each in schema.returns)


def is_written(argument):
    return argument.alias_info is not None and argument.alias_info.is_write


# The Operator of a function that a mode is asked to run.
operator_of = functools.cache(Operator)
# PyTorch asks for the device of a tensor without memory several times for each operator.
DEVICE = torch.ops.prim.device.default


def tensors_in(values):
    """The tensors among values and in their lists and tuples."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


class DispatchMode(TorchDispatchMode):
    """A TorchDispatchMode that does not make PyTorch import its compiler, which takes a second or more. PyTorch imports
    the compiler only to keep it from compiling __torch_dispatch__. This is needless unless the compiler is imported
    anyway."""

    def __init_subclass__(cls, **keywords):
        plain = cls.__dict__.get("__torch_dispatch__")
        super().__init_subclass__(**keywords)
        guarded = cls.__dict__.get("__torch_dispatch__")
        if plain is not None and guarded is not plain:
            cls.__torch_dispatch__ = chosen(plain, guarded)


def chosen(plain, guarded):
    def dispatch(self, *arguments, **keywords):
        return (guarded if "torch._dynamo" in sys.modules else plain)(self, *arguments, **keywords)

    return dispatch


class Observers(DispatchMode):
    """Shows every operator to `observers`, in their order. One mode serves them all, because a mode takes longer for an
    operator than an observer. An observer has one or both of these methods:

    before(operator, args, kwargs) -- is called before the operator runs. `operator`: an Operator
    after(operator, args, kwargs, result) -- is called with the operator's result"""

    def __init__(self, *observers):
        super().__init__()
        self.before = [each.before for each in observers if hasattr(each, "before")]
        self.after = [each.after for each in observers if hasattr(each, "after")]

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is DEVICE:
            return args[0].device
        kwargs = kwargs or {}
        operator = operator_of(function)
        for before in self.before:
            before(operator, args, kwargs)
        result = function(*args, **kwargs)
        for after in self.after:
            after(operator, args, kwargs, result)
        return result
