# expect: problem=relu cases=tiny verdict=accepted|unsupported emulated=unsupported
# expect: emulated-message="CuPy cannot run on the emulated device"
import cupy as cp
import torch

rectify = cp.RawKernel(r"""
extern "C" __global__ void rectify(const float* x, float* y, int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = x[i] > 0 ? x[i] : 0;
}
""", "rectify")


def solution(input, output, n, m):
    with cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        rectify(((n * m + 255) // 256,), (256,), (cp.from_dlpack(input), cp.from_dlpack(output), cp.int32(n * m)))
