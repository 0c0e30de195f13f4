# expect: part=more problem=conv-pointwise-2d cases=powers-of-two,many-channels verdict=accepted
# PyTorch would let cuDNN use TF32; a candidate that says nothing gets single precision.
import torch

assert not torch.backends.cudnn.allow_tf32
assert not torch.backends.cuda.matmul.allow_tf32


def solution(input, kernel):
    return torch.conv2d(input, kernel)
