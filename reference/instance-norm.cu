// Instance normalisation, without weights.
#include "ops/norm.cuh"

extern "C" void solution(const ops::element* X, ops::element* Y, size_t B, size_t F, size_t D1, size_t D2) {
  ops::Sets planes;
  planes.outer = static_cast<std::int64_t>(B * F);
  planes.run = static_cast<std::int64_t>(D1 * D2);
  ops::standardise(X, ops::NoAffine(), Y, planes, 1e-5);
}
