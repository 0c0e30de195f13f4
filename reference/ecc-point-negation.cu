// The negatives of points on an elliptic curve.
#include "ops/field.cuh"

extern "C" void solution(const std::uint64_t* xs, const std::uint64_t* ys, std::uint64_t p, std::uint64_t* out_xy,
                         size_t n) {
  ops::negate_points(xs, ys, p, out_xy, static_cast<std::int64_t>(n));
}
