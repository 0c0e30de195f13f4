# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# The extension is built when the module is; its parameter goes to the kernel.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super(ModelNew, self).__init__()
        self.stride, self.padding = stride, padding
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, kernel_size))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        cuda_source = """
        #include <torch/extension.h>
        __global__ void forward_kernel(const float* x, const float* w, float* y, int C, int L, int K, int N, int s, int p) {
            int o = blockIdx.x, b = blockIdx.y, O = gridDim.x;
            for (int n = threadIdx.x; n < N; n += blockDim.x) {
                float acc = 0.0f;
                for (int c = 0; c < C; c++)
                    for (int k = 0; k < K; k++) {
                        int at = n * s - p + k;
                        if (at >= 0 && at < L) acc += x[(b * C + c) * L + at] * w[(o * C + c) * K + k];
                    }
                y[(b * O + o) * N + n] = acc;
            }
        }
        torch::Tensor forward(torch::Tensor x, torch::Tensor w, int s, int p) {
            int N = (x.size(2) + 2 * p - w.size(2)) / s + 1;
            auto y = torch::zeros({x.size(0), w.size(0), N}, x.options());
            dim3 blocks(w.size(0), x.size(0));
            forward_kernel<<<blocks, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),
                                            x.size(1), x.size(2), w.size(2), N, s, p);
            return y;
        }
        """
        self.op = load_inline(name="in_init", cpp_sources="torch::Tensor forward(torch::Tensor, torch::Tensor, int, int);",
                              cuda_sources=cuda_source, functions=["forward"], verbose=False,
                              extra_cflags=[""], extra_ldflags=[""])

    def forward(self, x):
        return self.op.forward(x.contiguous(), self.weight, self.stride, self.padding)
