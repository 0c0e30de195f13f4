// Kullback-Leibler Divergence, of every element.
#include "ops/loss.cuh"

extern "C" void solution(const ops::element* predictions, const ops::element* targets, ops::element* output, size_t n) {
  ops::pointwise(ops::KullbackLeibler{static_cast<ops::accumulator>(1e-10)}, static_cast<std::int64_t>(n), output, predictions, targets);
}
