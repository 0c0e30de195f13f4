# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=accepted emulated=unsupported
# An operator that is registered with PyTorch, and no module of Python.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/library.h>
#include <ATen/ATen.h>
at::Tensor pointwise(const at::Tensor& x, const at::Tensor& w) { return at::conv2d(x, w); }
TORCH_LIBRARY(corpus_registered, m) { m.def("pointwise(Tensor x, Tensor w) -> Tensor", &pointwise); }
"""
load_inline(name="registered", cpp_sources=source, is_python_module=False)


def solution(input, kernel):
    return torch.ops.corpus_registered.pointwise(input, kernel)
