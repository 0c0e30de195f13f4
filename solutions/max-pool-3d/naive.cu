// Each thread computes one output.
#include <cuda_runtime.h>

__global__ void pool(const float* in, float* out, long long planes, long long a, long long b, long long c, long long qa, long long qb, long long qc, int K, int stride, int padding, int dilation) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * qa * qb * qc) return;
  const long long oc = i % qc;
  const long long ob = i / qc % qb;
  const long long oa = i / qc / qb % qa;
  const float* plane = in + i / qc / qb / qa * a * b * c;
  float r = -INFINITY;
  for (int ka = 0; ka < K; ++ka) {
    const long long ia = oa * stride - padding + ka * (long long)dilation;
    if (ia < 0 || ia >= a) continue;
    for (int kb = 0; kb < K; ++kb) {
      const long long ib = ob * stride - padding + kb * (long long)dilation;
      if (ib < 0 || ib >= b) continue;
      for (int kc = 0; kc < K; ++kc) {
        const long long ic = oc * stride - padding + kc * (long long)dilation;
        if (ic < 0 || ic >= c) continue;
        const float v = plane[(ia * b + ib) * c + ic];
        r = fmaxf(r, v);
      }
    }
  }
  out[i] = r;
}

extern "C" void solution(const float* input, int kernel_size, int stride, int padding, int dilation, float* output, size_t H, size_t W, size_t D) {
  const long long q0 = ((long long)H + 2 * (long long)padding - (long long)dilation * (kernel_size - 1) - 1) / (long long)stride + 1;
  const long long q1 = ((long long)W + 2 * (long long)padding - (long long)dilation * (kernel_size - 1) - 1) / (long long)stride + 1;
  const long long q2 = ((long long)D + 2 * (long long)padding - (long long)dilation * (kernel_size - 1) - 1) / (long long)stride + 1;
  const long long count = 1 * q0 * q1 * q2;
  pool<<<(unsigned)((count + 255) / 256), 256>>>(input, output, 1, (long long)H, (long long)W, (long long)D, q0, q1, q2,
                                                 (int)kernel_size, (int)stride, (int)padding, (int)dilation);
}
