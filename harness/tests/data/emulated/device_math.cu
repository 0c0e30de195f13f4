// Functions of the Math API, one value each; the test has the expected ones.
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void functions_kernel(double* out) {
  int n = 0;
  out[n++] = rsqrtf(4.0f);
  out[n++] = __expf(1.0f);
  out[n++] = __logf(CUDART_PI_F);
  out[n++] = __powf(2.0f, 0.5f);
  out[n++] = fmaf(2.0f, 3.0f, 4.0f);
  out[n++] = __fdividef(1.0f, 8.0f);
  out[n++] = __saturatef(1.5f);
  out[n++] = tanhf(0.5f);
  out[n++] = erff(0.5f);
  out[n++] = sinpif(0.5f);
  out[n++] = min(3, -4);
  out[n++] = max(3u, 4u);
  out[n++] = fminf(NAN, 2.0f);
  out[n++] = max(2.0f, 3.5f);
  out[n++] = min(2.5, 1.0f);
  out[n++] = __popc(0xff00ff00u);
  out[n++] = __clz(1);
  out[n++] = __ffs(8);
  out[n++] = __brev(1u) == 0x80000000u;
  out[n++] = __umulhi(0x80000000u, 6u);
  out[n++] = __float2int_rn(2.5f);
  out[n++] = __float2int_rz(-2.7f);
  out[n++] = __float2int_rd(-2.2f);
  out[n++] = __float2int_rn(1e20f);
  out[n++] = __float_as_int(1.0f);
  out[n++] = __int_as_float(0x40000000);
  out[n++] = __byte_perm(0x33221100u, 0x77665544u, 0x7531u) == 0x77553311u;
  out[n++] = __funnelshift_l(0x80000000u, 1u, 1);
  out[n++] = __fadd_ru(1.0f, 1e-10f) > 1.0f;
  out[n++] = __fadd_rd(1.0f, 1e-10f) == 1.0f;
  out[n++] = make_float4(1, 2, 3, 4).w + make_int3(5, 6, 7).z;
  out[n++] = sizeof(float4) + sizeof(float3) + alignof(float2);
  out[n++] = INFINITY > CUDART_MAX_NORMAL_F;
}

extern "C" int functions(double* out) {
  functions_kernel<<<1, 1>>>(out);
  return cudaGetLastError();
}
