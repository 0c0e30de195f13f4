# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Two C++ sources and two CUDA sources, joined in their order.
from torch.utils.cpp_extension import load_inline

cpp_first = "torch::Tensor mix(torch::Tensor x, torch::Tensor w);"
cpp_second = """
torch::Tensor checked_mix(torch::Tensor x, torch::Tensor w) {
  TORCH_CHECK(x.dim() == 4, "x has ", x.dim(), " dimensions, not 4");
  TORCH_CHECK(x.size(1) == w.size(1), "channels differ: ", x.size(1), " and ", w.size(1));
  return mix(x.contiguous(), w.contiguous());
}
"""
cuda_first = """
__device__ float dot(const float* a, int step, const float* b, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i * step] * b[i];
  return sum;
}
"""
cuda_second = """
__global__ void mix_kernel(const float* x, const float* w, float* y, int C, int O, int P) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z;
  if (p < P) y[(b * O + o) * P + p] = dot(x + b * C * P + p, P, w + o * C, C);
}
torch::Tensor mix(torch::Tensor x, torch::Tensor w) {
  const int C = x.size(1), O = w.size(0), P = x.size(2) * x.size(3);
  torch::Tensor y = torch::empty({x.size(0), O, x.size(2), x.size(3)}, x.options());
  mix_kernel<<<dim3((P + 31) / 32, O, x.size(0)), 32>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), C,
                                                        O, P);
  return y;
}
"""
module = load_inline(name="several", cpp_sources=[cpp_first, cpp_second], cuda_sources=[cuda_first, cuda_second],
                     functions=["mix", "checked_mix"])


def solution(input, kernel):
    return module.checked_mix(input, kernel)
