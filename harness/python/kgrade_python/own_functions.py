"""Compares kgrade's own functions in a worker with what they were before the candidate was loaded. No honest candidate
replaces one. Only plain attempts are found: a candidate shares the process, so it can also replace this comparison."""

import sys
import types

from .errors import Replaced


def functions_in(value):
    """A value of a module or class, with the code and the defaults of the function that runs when it is called."""
    function = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
    if not isinstance(function, types.FunctionType):
        return (value,)
    return value, function.__code__, function.__defaults__, function.__kwdefaults__


def found():
    """{"tensors.Lender.tensor": functions_in() of it} for everything that can be called in kgrade's modules."""
    functions = {}
    for name, module in list(sys.modules.items()):
        if not name.startswith(f"{__package__}."):
            continue
        for key, value in list(vars(module).items()):
            if callable(value):
                functions[f"{name}.{key}"] = functions_in(value)
            if isinstance(value, type) and value.__module__ == name:
                for part, member in list(vars(value).items()):
                    if callable(member) or isinstance(member, (staticmethod, classmethod, property)):
                        functions[f"{name}.{key}.{part}"] = functions_in(member)
    return {name.removeprefix(f"{__package__}."): parts for name, parts in functions.items()}


def compare(before, instances):
    """Raises Replaced if a function is not what found() has seen `before`, or if one of `instances` has an attribute
    that hides a function of its class."""
    now = found()
    for name, parts in before.items():
        if len(now.get(name, ())) != len(parts) or any(a is not b for a, b in zip(parts, now[name])):
            raise Replaced(f"it replaced kgrade's own function '{name}'")
    for instance in instances:
        for name in vars(instance).keys() & vars(type(instance)).keys():
            raise Replaced(f"it replaced kgrade's own function '{type(instance).__name__}.{name}'")
