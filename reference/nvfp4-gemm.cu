// The product of two matrices in NVFP4, the second one transposed.
#include <cuda_fp8.h>

#include "ops/quantised_product.cuh"

extern "C" void solution(const uint8_t* q_a, const __nv_fp8_e4m3* scale_a, float sf_g_a, const uint8_t* q_b,
                         const __nv_fp8_e4m3* scale_b, float sf_g_b, ops::element* c, size_t m, size_t n,
                         size_t k) {
  const ops::QuantisedMatrix a{q_a, reinterpret_cast<const std::uint8_t*>(scale_a),
                               ops::quantised_shape(m, k, sf_g_a)};
  const ops::QuantisedMatrix b{q_b, reinterpret_cast<const std::uint8_t*>(scale_b),
                               ops::quantised_shape(n, k, sf_g_b)};
  ops::quantised_product<ops::Blocks<ops::E2m1, ops::E4m3Scale, 16, ops::Swizzled>>(a, b, c);
}
