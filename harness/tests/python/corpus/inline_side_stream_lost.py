# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=wrong_answer only=cuda
# A stream of its own that nobody waits for; a slow kernel goes first.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void wait_long() {
  const long long start = clock64();
  while (clock64() - start < 200000000) {
  }
}
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
void pointwise(torch::Tensor x, torch::Tensor w, torch::Tensor y) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  wait_long<<<1, 1, 0, side>>>();
  mix<<<dim3(w.size(0), x.size(0)), 64, 0, side>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),
                                                   x.size(1), x.size(2) * x.size(3));
}
"""
module = load_inline(name="side_stream_lost", functions=["pointwise"], cuda_sources=source,
                     cpp_sources="void pointwise(torch::Tensor x, torch::Tensor w, torch::Tensor y);")


def solution(input, kernel, output):
    module.pointwise(input, kernel, output)
