# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Built in the first call, which is one of the rehearsal.
import functools

from torch.utils.cpp_extension import load_inline

SOURCE = """
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(const torch::Tensor& x, const torch::Tensor& w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  return y;
}
"""


@functools.lru_cache(maxsize=None)
def extension():
    return load_inline(name="at_first_call", cpp_sources=["torch::Tensor pointwise(const torch::Tensor&, const torch::Tensor&);"],
                       cuda_sources=[SOURCE], functions=["pointwise"], with_cuda=True)


def solution(input, kernel):
    return extension().pointwise(input, kernel)
