// Layer normalisation over all axes but the first.
#include "ops/norm.cuh"

extern "C" void solution(const ops::element* X, const ops::element* gamma, const ops::element* beta,
                         ops::element* Y, size_t B, size_t F, size_t D1, size_t D2) {
  ops::Sets samples;
  samples.outer = static_cast<std::int64_t>(B);
  samples.run = static_cast<std::int64_t>(F * D1 * D2);
  ops::standardise(X, ops::ElementAffine{gamma, beta, samples.run}, Y, samples, 1e-5);
}
