# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# The current stream and a device guard, as careful code has them.
from torch.utils.cpp_extension import load_inline

source = """
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  mix<<<dim3(w.size(0), x.size(0)), 64, 0, stream>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),
                                                     x.size(1), x.size(2) * x.size(3));
  AT_CUDA_CHECK(cudaGetLastError());
  return y;
}
"""
module = load_inline(name="stream_guard", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
