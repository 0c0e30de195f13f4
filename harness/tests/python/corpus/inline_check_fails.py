# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error
# expect: message="RuntimeError: length must be a multiple of 8, not 5 (inline_check_fails.py:18, in <lambda>)"
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)
torch::Tensor conv(torch::Tensor x, torch::Tensor w) {
  CHECK_INPUT(x);
  CHECK_INPUT(w);
  TORCH_CHECK(x.size(2) % 8 == 0, "length must be a multiple of 8, not ", x.size(2));
  return torch::conv1d(x, w);
}
"""
module = load_inline(name="check_fails", cpp_sources=source, functions=["conv"])
solution = lambda input, kernel, *_: module.conv(input, kernel)  # noqa: E731
