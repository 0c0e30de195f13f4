# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Memory from cudaMalloc, copies, a wait, and an output that is filled by cudaMemcpy.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  float* room = nullptr;
  const size_t bytes = y.numel() * sizeof(float);
  cudaError_t error = cudaMalloc(&room, bytes);
  TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), room, x.size(1), x.size(2) * x.size(3));
  cudaMemcpy(y.data_ptr<float>(), room, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaFree(room);
  return y;
}
"""
module = load_inline(name="own_memory", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
