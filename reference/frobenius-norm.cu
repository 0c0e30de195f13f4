// Division by the Euclidean length of all elements.
#include "ops/unit_norm.cuh"

extern "C" void solution(const ops::element* X, ops::element* Y, size_t size) {
  ops::Sets all;
  all.run = static_cast<std::int64_t>(size);
  ops::unit_norm<ops::Square>(X, ops::EuclideanLength{0}, Y, all);
}
