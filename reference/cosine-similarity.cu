// 1 minus the cosine of the angle between rows.
#include "ops/similarity.cuh"

extern "C" void solution(const ops::element* predictions, const ops::element* targets, ops::element* output,
                         size_t n, size_t d) {
  ops::Sets rows;
  rows.outer = static_cast<std::int64_t>(n);
  rows.run = static_cast<std::int64_t>(d);
  const ops::Intermediate products(rows.outer);
  const ops::Intermediate squared_predictions(rows.outer);
  const ops::Intermediate squared_targets(rows.outer);
  if (products.data() == nullptr || squared_predictions.data() == nullptr ||
      squared_targets.data() == nullptr)
    return;
  ops::sum_sets(ops::DotTerm{predictions, targets}, products.data(), rows);
  ops::sum_sets(ops::DotTerm{predictions, predictions}, squared_predictions.data(), rows);
  ops::sum_sets(ops::DotTerm{targets, targets}, squared_targets.data(), rows);
  ops::pointwise(ops::CosineDistance{static_cast<ops::accumulator>(1e-8)}, rows.outer, output,
                 products.data(), squared_predictions.data(), squared_targets.data());
}
