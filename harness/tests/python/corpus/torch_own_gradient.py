# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# A forward pass as training code has it.
import torch


class Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, stride, padding):
        ctx.save_for_backward(x, weight)
        return torch.conv1d(x, weight, None, stride, padding)

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError


def solution(input, kernel, stride, padding):
    return Convolution.apply(input, kernel, stride, padding)
