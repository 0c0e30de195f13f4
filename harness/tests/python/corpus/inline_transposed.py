# expect: problem=conv-transpose-2d-asym-input-sq-kernel-dilated-padded-strided cases=plain,kernelbench-small
# expect: verdict=accepted note="cannot state 1"
# A module with a kernel of its own for a transposed convolution; weights drawn in __init__ by randn.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
__global__ void gather(const float* x, const float* w, float* y, int C, int H, int W, int O, int K, int OH, int OW, int s,
                       int p, int d) {
  const int o = blockIdx.x, b = blockIdx.y;
  for (int i = threadIdx.x; i < OH * OW; i += blockDim.x) {
    const int row = i / OW, column = i % OW;
    float sum = 0.f;
    for (int k = 0; k < K; ++k) {
      for (int l = 0; l < K; ++l) {
        const int down = row + p - k * d, across = column + p - l * d;
        if (down < 0 || across < 0 || down % s != 0 || across % s != 0) continue;
        const int from = down / s, left = across / s;
        if (from >= H || left >= W) continue;
        for (int c = 0; c < C; ++c)
          sum += x[((b * C + c) * H + from) * W + left] * w[((c * O + o) * K + k) * K + l];
      }
    }
    y[(b * O + o) * OH * OW + i] = sum;
  }
}
torch::Tensor conv_transpose(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p, int64_t d) {
  const int C = x.size(1), H = x.size(2), W = x.size(3), O = w.size(1), K = w.size(2);
  const int OH = (H - 1) * s - 2 * p + d * (K - 1) + 1, OW = (W - 1) * s - 2 * p + d * (K - 1) + 1;
  auto y = torch::empty({x.size(0), O, OH, OW}, x.options());
  gather<<<dim3(O, x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), C, H, W, O, K, OH, OW,
                                     s, p, d);
  return y;
}
"""
ops = load_inline(name="transposed_gather", cuda_sources=source, functions=["conv_transpose"],
                  cpp_sources="torch::Tensor conv_transpose(torch::Tensor, torch::Tensor, int64_t, int64_t, int64_t);")


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_channels, out_channels, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.randn(out_channels)) if bias else None
        self.geometry = (stride, padding, dilation)

    def forward(self, x):
        y = ops.conv_transpose(x, self.weight, *self.geometry)
        return y if self.bias is None else y + self.bias.view(1, -1, 1, 1)
