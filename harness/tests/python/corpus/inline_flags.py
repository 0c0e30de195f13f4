# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# What the flags define is what the kernel is made of.
from torch.utils.cpp_extension import load_inline

source = """
#ifndef BLOCK
#error "BLOCK is not defined: extra_cuda_cflags did not arrive"
#endif
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += BLOCK) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), BLOCK>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                             x.size(2) * x.size(3));
  return y;
}
"""
cpp = """
#ifndef HOST_PART
#error "HOST_PART is not defined: extra_cflags did not arrive"
#endif
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);
"""
module = load_inline(name="flags", cpp_sources=cpp, cuda_sources=source, functions=["pointwise"],
                     extra_cflags=["-O3", "-DHOST_PART", "-std=c++17"],
                     extra_cuda_cflags=["-O3", "--use_fast_math", "-DBLOCK=64", "-lineinfo"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
