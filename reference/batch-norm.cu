// Batch normalisation with the statistics of the batch, without weights.
#include "ops/norm.cuh"

extern "C" void solution(const ops::element* X, ops::element* Y, size_t B, size_t F, size_t D1, size_t D2) {
  ops::NormShape shape;
  shape.batch = static_cast<std::int64_t>(B);
  shape.channels = static_cast<std::int64_t>(F);
  shape.positions = static_cast<std::int64_t>(D1 * D2);
  ops::standardise(X, ops::NoAffine(), Y, ops::channels_of_the_batch(shape), 1e-5);
}
