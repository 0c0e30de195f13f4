# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# A stream of its own, which waits for the current one and is waited for.
from torch.utils.cpp_extension import load_inline

source = """
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t ready = nullptr, done = nullptr;
  if (side == nullptr) {
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  cudaStream_t current = at::cuda::getCurrentCUDAStream();
  cudaEventRecord(ready, current);
  cudaStreamWaitEvent(side, ready, 0);
  mix<<<dim3(w.size(0), x.size(0)), 64, 0, side>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),
                                                   x.size(1), x.size(2) * x.size(3));
  cudaEventRecord(done, side);
  cudaStreamWaitEvent(current, done, 0);
  return y;
}
"""
module = load_inline(name="side_stream_joined", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
