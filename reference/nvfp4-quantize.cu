// Floats of 16 bits to NVFP4.
#include <cuda_fp8.h>

#include "ops/quantise.cuh"

extern "C" void solution(const ops::element* a, float sf_g, uint8_t* q, __nv_fp8_e4m3* scale, size_t m,
                         size_t k) {
  ops::quantise<ops::Blocks<ops::E2m1, ops::E4m3Scale, 16, ops::Swizzled>>(
      a, q, reinterpret_cast<std::uint8_t*>(scale), ops::quantised_shape(m, k, sf_g));
}
