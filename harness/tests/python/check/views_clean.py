# Views, copies, a workspace that stays, an address as a number, and reading on the host.
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
  static torch::Tensor workspace;
  if (!workspace.defined()) workspace = torch::zeros({8}, input.options());
  workspace.add_(1);
  if (input.cpu().data_ptr<float>()[0] != input.cpu().data_ptr<float>()[0]) return workspace;
  return output.mul_(1);
}

__global__ void negate(float* all, int count) {
  if (threadIdx.x < count) all[threadIdx.x] = -all[threadIdx.x];
}
void negate_at(int64_t address, int64_t count) { negate<<<1, 64>>>(reinterpret_cast<float*>(address), count); }
"""

extension = load_inline(name="views", cpp_sources="torch::Tensor convolve(torch::Tensor, torch::Tensor);"
                        "void negate_at(int64_t, int64_t);",
                        cuda_sources=SOURCE, functions=["convolve", "negate_at"])


def solution(input, kernel):
    kernel = kernel.transpose(0, 1).contiguous().transpose(0, 1)
    packed = torch.cat([kernel, kernel])[: kernel.shape[0]].contiguous()
    few = torch.ones(9, device="cuda")
    extension.negate_at(few[2:].data_ptr(), 7)
    assert few.tolist() == [1, 1] + 7 * [-1], few
    return extension.convolve(input[:, :, :].contiguous(), packed).view(input.shape[0], kernel.shape[0], -1)
