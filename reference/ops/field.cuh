// Arithmetic modulo a prime: exact, on whole numbers.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// The Mersenne prime 2^31 - 1. Products of two numbers below it fit 64 bits.
constexpr std::uint64_t mersenne_31 = 2147483647;

__global__ void multiply_in_field_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* output,
                                         std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  output[at] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(a[at]) * b[at] % mersenne_31);
}

inline void multiply_in_field(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* output,
                              std::int64_t count) {
  multiply_in_field_kernel<<<plane_grid(1, count), threads_per_block>>>(a, b, output, count);
}

// The product of two polynomials of `count` coefficients each, the constant term first: 2 * count - 1 coefficients.
__global__ void multiply_polynomials_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* output,
                                            std::int64_t count) {
  const std::int64_t power = position_in_plane();
  if (power >= 2 * count - 1) return;
  const std::int64_t first = power < count ? 0 : power - count + 1;
  const std::int64_t last = smaller(power, count - 1);
  std::uint64_t sum = 0;
  for (std::int64_t i = first; i <= last; ++i)
    sum = (sum + static_cast<std::uint64_t>(a[i]) * b[power - i]) % mersenne_31;
  output[power] = static_cast<std::uint32_t>(sum);
}

inline void multiply_polynomials(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* output,
                                 std::int64_t count) {
  multiply_polynomials_kernel<<<plane_grid(1, 2 * count - 1), threads_per_block>>>(a, b, output, count);
}

// The negatives of points on an elliptic curve over the field of `prime`: (x, y) becomes (x, -y).
__global__ void negate_points_kernel(const std::uint64_t* xs, const std::uint64_t* ys, std::uint64_t prime,
                                     std::uint64_t* points, std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  points[2 * at] = xs[at];
  points[2 * at + 1] = (prime - ys[at] % prime) % prime;
}

inline void negate_points(const std::uint64_t* xs, const std::uint64_t* ys, std::uint64_t prime,
                          std::uint64_t* points, std::int64_t count) {
  negate_points_kernel<<<plane_grid(1, count), threads_per_block>>>(xs, ys, prime, points, count);
}

}  // namespace ops
