# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted emulated=unsupported
# A class of C++: PyTorch's own headers have pybind11 whole.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
struct Mixer {
  explicit Mixer(torch::Tensor weights) : weights_(weights.flatten(1)) {}
  torch::Tensor mix(torch::Tensor x) const {
    return torch::matmul(weights_, x.flatten(2)).view({x.size(0), weights_.size(0), x.size(2), x.size(3)});
  }
  torch::Tensor weights_;
};
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<Mixer>(m, "Mixer").def(py::init<torch::Tensor>()).def("mix", &Mixer::mix);
}
"""
module = load_inline(name="with_class", cpp_sources=source)


def solution(input, kernel):
    return module.Mixer(kernel).mix(input)
