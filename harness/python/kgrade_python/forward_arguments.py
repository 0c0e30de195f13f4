"""The arguments of a Model's forward() as module_description.py describes them: inputs, numbers, values and memory for
outputs, also within lists, tuples and dictionaries. The name alone stands for an input. Each call gets copies of the
inputs that the Model writes to."""

import torch

from .encoded import decode

# Bound before a candidate's file runs.
copy_of = torch.Tensor.clone


def parts_of(kind, content):
    """The arguments within an argument of this kind that is a list, tuple or dictionary."""
    return [each for _, each in content] if kind == "dict" else content if kind in ("list", "tuple") else []


def names_in(argument):
    """The names of the inputs and scalars in an argument of forward()."""
    if isinstance(argument, str):
        return [argument]
    ((kind, content),) = argument.items()
    if kind in ("input", "scalar"):
        return [content]
    if kind == "viewed":
        return [content["input"]]
    if kind == "copy":
        return names_in(content)
    return [name for each in parts_of(kind, content) for name in names_in(each)]


def argument_of(argument, tensors):
    """The argument of forward(), made from inputs and scalars by name."""
    if isinstance(argument, str):
        return tensors[argument]
    ((kind, content),) = argument.items()
    if kind in ("input", "scalar"):
        return tensors[content]
    if kind == "viewed":
        return tensors[content["input"]].view(getattr(torch, content["dtype"]))
    if kind == "copy":
        return copy_of(argument_of(content, tensors))
    if kind == "value":
        return decode(content)
    if kind == "blank":
        device = next((each.device for each in tensors.values() if isinstance(each, torch.Tensor)), None)
        return torch.empty(content["shape"], dtype=getattr(torch, content["dtype"]), device=device)
    if kind == "dict":
        return {decode(key): argument_of(each, tensors) for key, each in content}
    return (tuple if kind == "tuple" else list)(argument_of(each, tensors) for each in content)


def copied_names(argument):
    """The names of the inputs in an argument of forward() that each call gets copies of."""
    if isinstance(argument, str):
        return []
    ((kind, content),) = argument.items()
    if kind == "copy":
        return names_in(content)
    return [name for each in parts_of(kind, content) for name in copied_names(each)]


def blanks_of(argument, value):
    """The tensors of an argument that were made without contents, for outputs."""
    if isinstance(argument, str):
        return []
    ((kind, content),) = argument.items()
    if kind == "blank":
        return [value] if value.numel() else []
    pairs = zip((each for _, each in content), value.values()) if kind == "dict" else (
        zip(content, value) if kind in ("list", "tuple") else ())
    return [each for pair in pairs for each in blanks_of(*pair)]


def found_in(argument, value, name):
    """The part of a value that is the input `name` in the description of an argument of forward(); or None."""
    if isinstance(argument, str):
        return value if argument == name else None
    ((kind, content),) = argument.items()
    if kind == "input":
        return value if content == name else None
    if kind == "viewed":
        return value.view(torch.uint8) if content["input"] == name else None
    if kind == "copy":
        return found_in(content, value, name)
    if kind not in ("list", "tuple", "dict") or not isinstance(value, (list, tuple, dict)) or len(value) != len(content):
        return None
    parts = zip((each for _, each in content), value.values()) if kind == "dict" else zip(content, value)
    return next((found for part in parts if (found := found_in(*part, name)) is not None), None)
