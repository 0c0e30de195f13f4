# A read beyond the end of memory that PyTorch allocated.
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void conv(const float* input, const float* kernel, float* output, int outputs, int channels, int length,
                     int width, int out_length, float* scratch) {
  const int b = blockIdx.x / outputs, o = blockIdx.x % outputs, x = threadIdx.x;
  if (x >= out_length) return;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int k = 0; k < width; ++k)
      sum += input[(b * channels + c) * length + x + k] * kernel[(o * channels + c) * width + k];
  if (blockIdx.x == 0) output[blockIdx.x * out_length + x] = sum + 0.0f * scratch[x];  // finding: out_of_bounds
  else output[blockIdx.x * out_length + x] = sum;
}

torch::Tensor convolve(torch::Tensor input, torch::Tensor kernel) {
  const int batch = input.size(0), channels = input.size(1), length = input.size(2);
  const int outputs = kernel.size(0), width = kernel.size(2), out_length = length - width + 1;
  auto output = torch::zeros({batch, outputs, out_length}, input.options());
  auto scratch = torch::zeros({out_length - 1}, input.options());
  conv<<<batch * outputs, 64>>>(input.data_ptr<float>(), kernel.data_ptr<float>(), output.data_ptr<float>(), outputs,
                               channels, length, width, out_length, scratch.data_ptr<float>());
  return output;
}
"""

extension = load_inline(name="zeros_read", cpp_sources="torch::Tensor convolve(torch::Tensor, torch::Tensor);",
                        cuda_sources=SOURCE, functions=["convolve"])


def solution(input, kernel):
    return extension.convolve(input, kernel)
