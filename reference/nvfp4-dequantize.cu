// NVFP4 to floats.
#include <cuda_fp8.h>

#include "ops/quantise.cuh"

extern "C" void solution(const uint8_t* q, const __nv_fp8_e4m3* scale, float sf_g, float* out, size_t m,
                         size_t k) {
  ops::dequantise<ops::Blocks<ops::E2m1, ops::E4m3Scale, 16, ops::Swizzled>>(
      q, reinterpret_cast<const std::uint8_t*>(scale), out, ops::quantised_shape(m, k, sf_g));
}
