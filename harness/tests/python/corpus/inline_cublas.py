# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted emulated=unsupported
# The vendor's library, by linker flags.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cublas_v2.h>

torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) TORCH_CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate failed");
  const int B = x.size(0), C = x.size(1), O = w.size(0), P = x.size(2) * x.size(3);
  auto y = torch::empty({B, O, x.size(2), x.size(3)}, x.options());
  const float one = 1.f, zero = 0.f;
  const auto status = cublasSgemmStridedBatched(
      handle, CUBLAS_OP_N, CUBLAS_OP_N, P, O, C, &one, x.data_ptr<float>(), P, static_cast<long long>(C) * P,
      w.data_ptr<float>(), C, 0, &zero, y.data_ptr<float>(), P, static_cast<long long>(O) * P, B);
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, "cublas says ", static_cast<int>(status));
  return y;
}
"""
module = load_inline(name="with_cublas", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"], extra_ldflags=["-lcublas"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
