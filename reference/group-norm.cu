// Group normalisation.
#include "ops/norm.cuh"

extern "C" void solution(const ops::element* X, const ops::element* gamma, const ops::element* beta,
                         ops::element* Y, size_t B, size_t F, size_t D1, size_t D2, size_t num_groups) {
  ops::NormShape shape;
  shape.batch = static_cast<std::int64_t>(B);
  shape.channels = static_cast<std::int64_t>(F);
  shape.positions = static_cast<std::int64_t>(D1 * D2);
  ops::group_norm(X, gamma, beta, Y, shape, static_cast<std::int64_t>(num_groups), 1e-5);
}
