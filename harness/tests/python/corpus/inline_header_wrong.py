# expect: problem=conv-pointwise-2d cases=tiny verdict=compile_error message=shared.cuh
# A header that the submission writes has a mistake: the message names the header.
import os

from torch.utils.cpp_extension import load_inline

os.makedirs("include", exist_ok=True)
with open("include/shared.cuh", "w") as file:
    file.write("\n__device__ inline float twice(float a) { return 2 * b; }\n")

cuda = """
#include "shared.cuh"
__global__ void mix(float* y) { y[0] = twice(y[0]); }
void pointwise(torch::Tensor y) { mix<<<1, 1>>>(y.data_ptr<float>()); }
"""
module = load_inline(name="header_wrong", cpp_sources="void pointwise(torch::Tensor y);", cuda_sources=cuda,
                     functions=["pointwise"], extra_include_paths=["include"])


def solution(input, kernel, output):
    module.pointwise(output)
