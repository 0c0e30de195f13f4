# A module whose weights are packed when it is built.
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void conv(const float* input, const float* kernel, float* output, int outputs, int channels, int length,
                     int width, int out_length) {
  const int b = blockIdx.x / outputs, o = blockIdx.x % outputs, x = threadIdx.x;
  if (x >= out_length) return;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int k = 0; k < width; ++k)
      sum += input[(b * channels + c) * length + x + k] * kernel[(o * channels + c) * width + k];
  output[blockIdx.x * out_length + x] = sum;
}

torch::Tensor convolve(torch::Tensor input, torch::Tensor kernel) {
  const int batch = input.size(0), channels = input.size(1), length = input.size(2);
  const int outputs = kernel.size(0), width = kernel.size(2), out_length = length - width + 1;
  auto output = torch::empty({batch, outputs, out_length}, input.options());
  conv<<<batch * outputs, 64>>>(input.data_ptr<float>(), kernel.data_ptr<float>(), output.data_ptr<float>(), outputs,
                               channels, length, width, out_length);
  return output;
}
"""

extension = load_inline(name="module", cpp_sources="torch::Tensor convolve(torch::Tensor, torch::Tensor);",
                        cuda_sources=SOURCE, functions=["convolve"])


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv = torch.nn.Conv1d(in_channels, out_channels, kernel_size, bias=bias)
        self.register_buffer("packed", self.conv.weight.detach().flatten(1).t().contiguous())

    def forward(self, x):
        weight = self.packed.t().contiguous().view(self.conv.weight.shape)
        return extension.convolve(x.contiguous(), weight)
