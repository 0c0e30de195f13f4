# expect: problem=relu cases=tiny verdict=accepted emulated=unsupported
# expect: emulated-message="framework_compile_kernel.py:17: torch.cuda._compile_kernel cannot run on the emulated device"
# NVRTC, which looks for the CUDA Toolkit's headers.
import torch

source = """
extern "C" __global__ void rectify(const float* x, float* y, int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = x[i] > 0 ? x[i] : 0;
}
"""
compiled = {}


def kernel():
    if not compiled:
        compiled["rectify"] = torch.cuda._compile_kernel(source, "rectify")
    return compiled["rectify"]


def solution(input, output, n, m):
    kernel()(grid=((n * m + 255) // 256, 1, 1), block=(256, 1, 1), args=[input, output, n * m])
