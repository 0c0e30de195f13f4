# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# C++ and CUDA sources are two units: both may have a static function of one name.
from torch.utils.cpp_extension import load_inline

cpp = """
static int64_t rows(const torch::Tensor& t) { return t.size(0); }
void mix(torch::Tensor x, torch::Tensor w, torch::Tensor y);
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({rows(x), rows(w), x.size(2), x.size(3)}, x.options());
  mix(x, w, y);
  return y;
}
"""
cuda = """
static int rows(const torch::Tensor& t) { return static_cast<int>(t.size(0)); }
__global__ void mix_kernel(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
void mix(torch::Tensor x, torch::Tensor w, torch::Tensor y) {
  mix_kernel<<<dim3(rows(w), rows(x)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                             x.size(2) * x.size(3));
}
"""
module = load_inline(name="same_helper", cpp_sources=cpp, cuda_sources=cuda, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
