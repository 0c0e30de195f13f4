"""ATen's operators by name, with arguments in the order of the C++ functions.

C++ and the schema of an operator list the same arguments in the same order, including those after the schema's `*`. The
only difference: dtype, layout, device and pin_memory are one TensorOptions in C++. So the kinds of the values determine
the overload. It is remembered, since finding it takes as long as a small operator.
"""

import torch

from . import extension_interface as interface
from .extension_interface import (
    BOOLEAN, DEVICE, DTYPE, EMPTY, FORMAT, INTEGER, INTEGERS, LAYOUT, LIST, NONE, OPTIONS, REAL, REALS, TENSOR, TEXT,
)  # fmt: skip

_IMPOSSIBLE = 1000
_OPTION_NAMES = ["dtype", "layout", "device", "pin_memory"]

# The distance of a kind of value from a parameter's type, as in C++: a number of another type is nearer than a class
# that is made from a number. A parameter of type bool is far from an integer, so that x.var(1) means `dim`.
_COSTS = {
    TENSOR: {"Tensor": 0, "List[Tensor]": 2},
    NONE: {"Tensor": 2},
    BOOLEAN: {"bool": 0, "int": 1, "float": 1, "number": 3},
    INTEGER: {"int": 0, "float": 1, "number": 3, "List[int]": 3, "bool": 8},
    REAL: {"float": 0, "int": 1, "bool": 1, "number": 3},
    TEXT: {"str": 0},
    INTEGERS: {"List[int]": 0, "List[float]": 8},
    REALS: {"List[float]": 0},
    LIST: {"List[Tensor]": 0, "List[Optional[Tensor]]": 1},
    EMPTY: {"List[int]": 0, "List[Tensor]": 0, "Tensor": 1, "List[float]": 1},
    DTYPE: {"ScalarType": 0},
    DEVICE: {"Device": 0},
    LAYOUT: {"Layout": 0},
    FORMAT: {"MemoryFormat": 0},
}


class Options:
    """The fields of a TensorOptions. Fields that were not set are None."""

    __slots__ = ("dtype", "layout", "device", "pin_memory", "memory_format", "requires_grad")

    def __init__(
        self, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None, requires_grad=False
    ):
        self.dtype = dtype
        self.layout = layout
        self.device = device
        self.pin_memory = pin_memory
        self.memory_format = memory_format
        self.requires_grad = requires_grad


class Operators:
    """Finds operators and remembers them."""

    def __init__(self):
        self._plans = {}

    def call(self, name, kinds, arguments):
        """The operator's result for values of these kinds. Raises PyTorch's exceptions, and TypeError."""
        key = (name, tuple(kinds))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = _resolve(name, kinds)
        return plan(arguments)


def _resolve(name, kinds):
    base, out = (name[:-4], True) if name.endswith("_out") else (name, False)
    packet = getattr(torch.ops.aten, base)
    best, best_cost = None, _IMPOSSIBLE
    for overload_name in packet.overloads():
        if overload_name.startswith("prim_"):
            continue
        overload = getattr(packet, overload_name)
        parameters = list(overload._schema.arguments)
        outputs = [p for p in parameters if p.is_out]
        if bool(outputs) != out:
            continue
        # The outputs come first in C++.
        parameters = outputs + [p for p in parameters if not p.is_out]
        cost, steps = _match(parameters, kinds)
        if cost < best_cost:
            best, best_cost = _plan(overload, steps), cost
    if best is None:
        raise TypeError(f"{name}: no overload takes {', '.join(map(_kind_name, kinds))}")
    return best


def _match(parameters, kinds):
    """The cost, and for each argument the parameter that takes it. Options are taken by a list of parameters."""
    steps = []
    cost = 0
    at = 0
    for index, kind in enumerate(kinds):
        if at >= len(parameters):
            return _IMPOSSIBLE, []
        names = [p.name for p in parameters[at : at + 4]]
        as_options = names == _OPTION_NAMES and kind in (OPTIONS, DTYPE, DEVICE, LAYOUT, FORMAT, EMPTY)
        if as_options:
            more = [p for p in parameters[at + 4 :] if p.name == "memory_format"]
            steps.append((index, kind, parameters[at : at + 4] + more))
            at += 4
            # to(dtype) is a separate overload.
            cost += 1
            continue
        step_cost = _cost(kind, parameters[at])
        if step_cost >= _IMPOSSIBLE:
            return _IMPOSSIBLE, []
        steps.append((index, kind, parameters[at]))
        cost += step_cost
        at += 1
    if any(not p.has_default_value() for p in parameters[at:]):
        return _IMPOSSIBLE, []
    return cost, steps


def _type_name(parameter):
    return str(parameter.real_type).replace("SymInt", "int")


def _cost(kind, parameter):
    name = _type_name(parameter)
    optional = name.startswith("Optional[") and name.endswith("]")
    if optional:
        name = name[len("Optional[") : -1]
        if kind in (NONE, EMPTY):
            return 0
    # C++ wraps a value in an optional only if no overload takes the plain value.
    cost = _COSTS.get(kind, {}).get(name, _IMPOSSIBLE) + 2 * optional
    if (
        kind == INTEGER
        and name == "List[int]"
        and parameter.N is None
        and parameter.name not in ("size", "dim", "dims")
    ):
        return _IMPOSSIBLE
    return cost


def _plan(overload, steps):
    """A function from the list of arguments to the overload's result."""

    def run(arguments):
        positional, named, requires_grad = [], {}, False
        for index, kind, parameter in steps:
            value = arguments[index]
            if isinstance(parameter, list):
                options = _as_options(kind, value)
                requires_grad = options.requires_grad
                for each in parameter:
                    chosen = getattr(options, each.name)
                    if chosen is not None:
                        named[each.name] = chosen
                continue
            value = _converted(kind, value, parameter)
            if parameter.kwarg_only:
                named[parameter.name] = value
            else:
                positional.append(value)
        result = overload(*positional, **named)
        return result.requires_grad_() if requires_grad else result

    return run


def _as_options(kind, value):
    if kind == OPTIONS:
        return value
    if kind == EMPTY:
        return Options()
    return Options(
        **{{DTYPE: "dtype", DEVICE: "device", LAYOUT: "layout", FORMAT: "memory_format"}[kind]: value}
    )


def _converted(kind, value, parameter):
    name = _type_name(parameter)
    if kind == EMPTY:
        return None if name.startswith("Optional[") or not name.startswith("List[") else []
    if "List[" in name and kind in (INTEGER, TENSOR):
        # A single integer stands for a whole list. PyTorch knows the list's length.
        return [value] * (parameter.N or 1) if kind == INTEGER else [value]
    if kind == REAL and name in ("int", "Optional[int]", "bool"):
        return int(value) if name != "bool" else bool(value)
    if kind in (INTEGER, BOOLEAN):
        if name in ("float", "Optional[float]"):
            return float(value)
        if name == "bool":
            return bool(value)
        if kind == BOOLEAN and name in ("int", "Optional[int]"):
            return int(value)
    return value


def _kind_name(kind):
    names = [name for name, value in vars(interface).items() if name.isupper() and value == kind]
    return names[0].lower() if names else "something else"
