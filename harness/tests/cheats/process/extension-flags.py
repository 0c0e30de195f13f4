# cheat: flags of an extension that let the compilers run programs and write elsewhere
# row: 65
# caught-by: no_gain
# twin: honest-convolution.py
# device: any
# problem: conv-standard-1d
# case: plain
#
# What is no plain flag of a compiler is left out, and what compilers write lies in a folder of their own.
from torch.utils.cpp_extension import load_inline

CUDA = r"""
__global__ void convolve(const float* x, const float* w, float* y, int n, int c, int o, int l, int k) {
  const int p = l - k + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * o * p) return;
  float sum = 0;
  for (int j = 0; j < c * k; ++j)
    sum += x[(i / p / o * c + j / k) * l + i % p + j % k] * w[i / p % o * c * k + j];
  y[i] = sum;
}
torch::Tensor run(torch::Tensor x, torch::Tensor w) {
  const int n = x.size(0), c = x.size(1), l = x.size(2), o = w.size(0), k = w.size(2);
  auto y = torch::empty({n, o, l - k + 1}, x.options());
  const int count = y.numel();
  convolve<<<(count + 127) / 128, 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), n, c, o, l, k);
  return y;
}
"""
CPP = "torch::Tensor run(torch::Tensor x, torch::Tensor w);"
HOST = ["-B.", "-wrapper", "sh,-c,touch /tmp/kgrade-ran", "-fplugin=./main.cpp", "@/etc/hostname", "-o/tmp/elsewhere",
        "-specs=/tmp/specs", "-fmodule-mapper=|touch /tmp/kgrade-ran"]
NVCC = ["-ccbin", "/tmp/cc", "-DA=$(touch /tmp/kgrade-ran)", "-DB=`touch /tmp/kgrade-ran`", "-Xcompiler=-wrapper,sh",
        "-odir", "/tmp", "--options-file", "/tmp/flags", "-keep", "--run"]
LINKER = ["-Wl,-plugin,/tmp/plugin.so", "-Wl,-o,/tmp/elsewhere", "-fuse-ld=../ld", "-B/tmp", "-T/tmp/script"]
module = load_inline("flagged", CPP, CUDA, functions=["run"], extra_cflags=HOST, extra_cuda_cflags=NVCC,
                     extra_ldflags=LINKER)


def solution(input, kernel):
    return module.run(input, kernel)
