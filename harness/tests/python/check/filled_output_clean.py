# PyTorch's own operators write to the lent output before the kernel reads it.
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
  output[blockIdx.x * out_length + x] += sum;
}

void convolve(torch::Tensor input, torch::Tensor kernel, torch::Tensor output) {
  const int batch = input.size(0), channels = input.size(1), length = input.size(2);
  const int outputs = kernel.size(0), width = kernel.size(2), out_length = length - width + 1;
  conv<<<batch * outputs, 64>>>(input.data_ptr<float>(), kernel.data_ptr<float>(), output.data_ptr<float>(), outputs,
                               channels, length, width, out_length);
}
"""

extension = load_inline(name="filled_output", cpp_sources="void convolve(torch::Tensor, torch::Tensor, torch::Tensor);",
                        cuda_sources=SOURCE, functions=["convolve"])


def solution(input, kernel, output):
    output.zero_()
    extension.convolve(input, kernel, output)
