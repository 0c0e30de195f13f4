# cheat: returns a tensor of a class that computes when it is looked at
# row: 59
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# Only plain tensors are answers.
import torch


class Later(torch.Tensor):
    """Knows its inputs, and computes whatever it is asked for."""

    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        plain = [torch.conv1d(*a.inputs) if isinstance(a, Later) else a for a in args]
        return function(*plain, **(kwargs or {}))


def solution(input, kernel):
    shape = (input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    later = torch.empty(shape, device=input.device).as_subclass(Later)
    later.inputs = (input, kernel)
    return later
