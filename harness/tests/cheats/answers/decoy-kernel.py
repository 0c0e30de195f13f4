# accomplice: defines a kernel, and lets PyTorch do the work. The rules of a problem decide whether that is allowed
#
import torch
from torch.utils.cpp_extension import load_inline

CUDA = r"""
__global__ void nothing(float* x) {}
void decoy(torch::Tensor x) { nothing<<<1, 1>>>(x.data_ptr<float>()); }
"""
module = load_inline("decoy", "void decoy(torch::Tensor x);", CUDA, functions=["decoy"])


def solution(input, kernel):
    output = torch.conv1d(input, kernel)
    module.decoy(output)
    return output
