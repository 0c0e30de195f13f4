# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Sources put together of pieces: an f-string, a replacement, a sum of literals, str.format.
from torch.utils.cpp_extension import load_inline

BLOCK = 32
NAME = "mix"
head = "#include <torch/extension.h>\n" + "#include <cuda_runtime.h>\n"
body = f"""
constexpr int block = {BLOCK};
__global__ void {NAME}_kernel(const TYPE* x, const TYPE* w, TYPE* y, int C, int P) {{
  __shared__ TYPE row[block];
  const int p = blockIdx.z * block + threadIdx.x;
  TYPE sum = 0;
  for (int first = 0; first < C; first += block) {{
    __syncthreads();
    if (first + threadIdx.x < C) row[threadIdx.x] = w[blockIdx.x * C + first + threadIdx.x];
    __syncthreads();
    for (int c = first; c < C && c < first + block; ++c)
      if (p < P) sum += x[(blockIdx.y * C + c) * P + p] * row[c - first];
  }}
  if (p < P) y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
}}
""".replace("TYPE", "float")
tail = """
torch::Tensor {name}(torch::Tensor x, torch::Tensor w) {{
  auto y = torch::empty({{x.size(0), w.size(0), x.size(2), x.size(3)}}, x.options());
  const int P = x.size(2) * x.size(3);
  {name}_kernel<<<dim3(w.size(0), x.size(0), (P + block - 1) / block), block>>>(
      x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1), P);
  return y;
}}
""".format(name=NAME)
module = load_inline(name="formatted_" + NAME, cpp_sources=f"torch::Tensor {NAME}(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=head + body + tail, functions=[NAME])


def solution(input, kernel):
    return getattr(module, NAME)(input, kernel)
