// The product of two matrices in MXFP8, the second one transposed.
#include "ops/quantised_product.cuh"

extern "C" void solution(const uint8_t* q_a, const uint8_t* scale_a, const uint8_t* q_b,
                         const uint8_t* scale_b, float* c, size_t m, size_t n, size_t k) {
  const ops::QuantisedMatrix a{q_a, scale_a, ops::quantised_shape(m, k)};
  const ops::QuantisedMatrix b{q_b, scale_b, ops::quantised_shape(n, k)};
  ops::quantised_product<ops::Blocks<ops::E4m3, ops::E8m0, 32, ops::Swizzled>>(a, b, c);
}
