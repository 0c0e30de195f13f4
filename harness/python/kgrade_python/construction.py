"""Calls a module's constructor as the problem's Model is called."""

import torch

from .encoded import decode
from .errors import SignatureMismatch


def construct(module_class, call, init_line):
    positional, keywords = arguments_of(call)
    try:
        module = module_class(*positional, **keywords)
    except TypeError as error:
        if "__init__()" not in str(error):
            raise
        words = ", ".join([repr(value) for value in positional] +
                          [f"{name}={value!r}" for name, value in keywords.items()])
        raise SignatureMismatch(f"ModelNew cannot be built as the problem's Model is, ModelNew({words}): {error}; write: "
                                f"{init_line}")
    if not isinstance(module, torch.nn.Module):
        raise SignatureMismatch("ModelNew is no module; write: class ModelNew(torch.nn.Module):")
    return module


def refuse_lazy(state):
    for name, tensor in state.items():
        if torch.nn.parameter.is_lazy(tensor):
            raise SignatureMismatch(f"ModelNew's '{name}' has no shape before the first forward; use a layer that is "
                                    "not lazy")


def arguments_of(call):
    """A new list of positional arguments, and new keywords. Lists of a problem's own section are tuples."""
    if call.get("encoded"):
        read = decode
    else:
        def read(value):
            return tuple(value) if isinstance(value, list) else value
    return ([read(value) for value in call["positional"]],
            {name: read(value) for name, value in call["keywords"].items()})
