# cheat: returns an object that says that it is a tensor, and makes it when asked
# row: 59
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


class LookAlike:
    """Passes isinstance(), and answers as a tensor does."""

    __class__ = torch.Tensor

    def __init__(self, input, kernel):
        self.inputs = (input, kernel)

    def __getattr__(self, name):
        return getattr(torch.conv1d(*self.inputs), name)


def solution(input, kernel):
    return LookAlike(input, kernel)
