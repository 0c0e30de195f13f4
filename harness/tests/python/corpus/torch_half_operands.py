# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=low_precision message="fp32 is asked for"
# The sums are in single precision, the operands are not.
import torch


def solution(input, kernel):
    weights = kernel.view(kernel.shape[0], -1).half().float()
    return torch.einsum("oc,bchw->bohw", weights, input.half().float())
