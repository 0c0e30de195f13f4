// Each thread computes one output.
#include <cuda_runtime.h>

__global__ void pool(const float* in, float* out, long long planes, long long a, long long b, long long qa, long long qb, int K, int stride, int padding, int dilation) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * qa * qb) return;
  const long long ob = i % qb;
  const long long oa = i / qb % qa;
  const float* plane = in + i / qb / qa * a * b;
  float r = -INFINITY;
  for (int ka = 0; ka < K; ++ka) {
    const long long ia = oa * stride - padding + ka * (long long)dilation;
    if (ia < 0 || ia >= a) continue;
    for (int kb = 0; kb < K; ++kb) {
      const long long ib = ob * stride - padding + kb * (long long)dilation;
      if (ib < 0 || ib >= b) continue;
      const float v = plane[ia * b + ib];
      r = fmaxf(r, v);
    }
  }
  out[i] = r;
}

extern "C" void solution(const float* input, float* output, size_t batch_size, size_t channels, size_t height, size_t width, size_t kernel_size, size_t stride, size_t padding, size_t dilation) {
  const long long q0 = ((long long)height + 2 * (long long)padding - (long long)(dilation * (kernel_size - 1)) - 1) / (long long)stride + 1;
  const long long q1 = ((long long)width + 2 * (long long)padding - (long long)(dilation * (kernel_size - 1)) - 1) / (long long)stride + 1;
  const long long count = (long long)(batch_size * channels) * q0 * q1;
  pool<<<(unsigned)((count + 255) / 256), 256>>>(input, output, (long long)(batch_size * channels), (long long)height, (long long)width, q0, q1,
                                                 (int)kernel_size, (int)stride, (int)padding, (int)dilation);
}
