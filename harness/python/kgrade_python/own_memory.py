"""Memory that a module has from the beginning: weights, buffers and other tensors that `__init__` makes. A
candidate's answer is overwritten with random bits after it has been captured, so that each call has to write its
whole answer. If a module returns a tensor in its own memory, as a Model may do, a copy is used instead, and the time
of the copy counts."""

import torch

from .drawn_tensors import memory_of

_Tensor = torch.Tensor
_clone = torch.Tensor.clone


# The depth to which lists and dictionaries are searched, since they may contain themselves.
MOST_LEVELS = 4


def tensors_in(value, levels=MOST_LEVELS):
    """The tensors in nested plain lists, tuples and dictionaries."""
    if isinstance(value, _Tensor):
        yield value
    elif levels and type(value) in (list, tuple, dict):
        for each in value.values() if type(value) is dict else value:
            yield from tensors_in(each, levels - 1)


class OwnMemory:
    """The memory of one module that has just been built."""

    def __init__(self, module):
        self.module = module
        self.memory = {memory_of(tensor) for part in module.modules() for tensor in tensors_in(list(vars(part).values()))}
        self.look_again()

    def look_again(self):
        """Call this after the module's first call, which may have converted weights and buffers. Other tensors that the
        module has made since then do not count as its own memory: they are memory for answers."""
        for tensors in (self.module.parameters(), self.module.buffers()):
            self.memory.update(map(memory_of, tensors))
        self.memory.discard(None)

    def apart(self, results):
        """The module's results, with copies of those in its own memory."""
        if isinstance(results, (tuple, list)):
            return [self.apart_one(each) for each in results]
        return self.apart_one(results)

    def apart_one(self, result):
        return _clone(result) if isinstance(result, _Tensor) and memory_of(result) in self.memory else result
