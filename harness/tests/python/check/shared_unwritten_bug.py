# Shared memory that no thread has written to.
import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void conv(const float* input, const float* kernel, float* output, int outputs, int channels, int length,
                     int width, int out_length) {
  const int b = blockIdx.x / outputs, o = blockIdx.x % outputs, x = threadIdx.x;
  __shared__ float start[64];
  if (x >= out_length) return;
  float sum = start[x] * 0.0f;  // finding: uninitialized_read
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

extension = load_inline(name="shared_unwritten", cpp_sources="torch::Tensor convolve(torch::Tensor, torch::Tensor);",
                        cuda_sources=SOURCE, functions=["convolve"])


def solution(input, kernel):
    return extension.convolve(input, kernel)
