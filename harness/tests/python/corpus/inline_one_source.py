# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void convolve(const float* input, const float* kernel, float* output, int in_channels, int out_channels,
                         int length, int taps, int out_length, int total, int stride, int padding, int dilation,
                         int groups) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int x = i % out_length, o = i / out_length % out_channels, b = i / out_length / out_channels;
  const int channels = in_channels / groups, first = o / (out_channels / groups) * channels;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    for (int t = 0; t < taps; ++t) {
      const int at = x * stride - padding + t * dilation;
      if (at < 0 || at >= length) continue;
      sum += input[(b * in_channels + first + c) * length + at] * kernel[(o * channels + c) * taps + t];
    }
  }
  output[i] = sum;
}

torch::Tensor conv1d(torch::Tensor input, torch::Tensor kernel, int stride, int padding, int dilation, int groups) {
  TORCH_CHECK(input.is_cuda() && kernel.is_cuda(), "tensors must be on the GPU");
  TORCH_CHECK(input.is_contiguous(), "input must be contiguous");
  const int taps = kernel.size(2);
  const int out_length = (input.size(2) + 2 * padding - dilation * (taps - 1) - 1) / stride + 1;
  auto output = torch::empty({input.size(0), kernel.size(0), out_length}, input.options());
  const int total = output.numel();
  convolve<<<(total + 127) / 128, 128>>>(input.data_ptr<float>(), kernel.data_ptr<float>(), output.data_ptr<float>(),
                                         input.size(1), kernel.size(0), input.size(2), taps, out_length, total, stride,
                                         padding, dilation, groups);
  return output;
}
"""
cpp_source = """torch::Tensor conv1d(torch::Tensor input, torch::Tensor kernel, int stride, int padding, int dilation,
                                     int groups);"""
module = load_inline(name="one_source", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["conv1d"],
                     verbose=True)


def solution(input, kernel, stride, padding, dilation, groups):
    return module.conv1d(input, kernel, stride, padding, dilation, groups)
