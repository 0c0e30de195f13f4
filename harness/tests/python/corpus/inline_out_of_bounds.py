# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=out_of_bounds|runtime_error
# One element behind the end of what was lent.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
__global__ void past_the_end(float* y, int count) { y[count] = 1.f; }
void pointwise(torch::Tensor x, torch::Tensor w, torch::Tensor y) {
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  past_the_end<<<1, 1>>>(y.data_ptr<float>(), y.numel());
}
"""
module = load_inline(name="past_the_end", functions=["pointwise"], cuda_sources=source,
                     cpp_sources="void pointwise(torch::Tensor x, torch::Tensor w, torch::Tensor y);")


def solution(input, kernel, output):
    module.pointwise(input, kernel, output)
