"""Fills what a ModelNew leaves blank. Many public answers make their buffers by torch.empty or torch.zeros, because their
graders load Model's state into them."""

import types

import torch
from torch.overrides import TorchFunctionMode

from . import backward
from .drawn_tensors import memory_of

BLANK = {"empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full"}
WRITES = {"__setitem__", "__set__"}


class BlankTensors(TorchFunctionMode):
    """Notes the tensors that a constructor makes without contents, and has not written since."""

    def __init__(self):
        super().__init__()
        self.blank = {}  # memory: the tensor, so that no other one gets its memory

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = function(*args, **kwargs)
        name = getattr(function, "__name__", "")
        if name in BLANK and isinstance(result, torch.Tensor):
            self.blank[memory_of(result)] = result
        elif name in WRITES or (name.endswith("_") and not name.endswith("__")):
            target = args[0] if args else kwargs.get("tensor")
            self.forget(target)
        self.forget(kwargs.get("out"))
        return result

    def forget(self, target):
        """Takes a tensor out, since something writes to it."""
        if isinstance(target, torch.Tensor):
            self.blank.pop(memory_of(target), None)

    def names(self, state, placed):
        """The names of blank tensors in a module's state that are not weights of the problem."""
        return [name for name, tensor in state.items() if name not in placed and memory_of(tensor) in self.blank]


def fill(module, names, model_source, build):
    """Copies parameters and buffers of the problem's Model to a module's blank ones that have their names and shapes.
    `build`: builds the class Model with the problem's weights. Nothing happens if the file cannot run here."""
    file = types.ModuleType("problem_model")
    try:
        exec(compile(model_source, "<Model>", "exec"), vars(file))  # pylint: disable=exec-used
        backward.define_if_asked(vars(file))
        model = build(file.Model)
    except torch.OutOfMemoryError:
        raise
    except Exception:  # pylint: disable=broad-except
        return
    known = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    for name in names:
        if name in known and name in state and known[name].shape == state[name].shape:
            state[name].data = known[name].detach().to(state[name].device, state[name].dtype).clone()
