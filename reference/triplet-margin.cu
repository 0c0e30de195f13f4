// The mean by which positive examples fail to be nearer than negative ones.
#include "ops/similarity.cuh"

extern "C" void solution(const ops::element* anchor, const ops::element* positive,
                         const ops::element* negative, ops::element* loss, size_t B, size_t E, float margin) {
  ops::Sets rows;
  rows.outer = static_cast<std::int64_t>(B);
  rows.run = static_cast<std::int64_t>(E);
  const ops::Intermediate to_positive(rows.outer);
  const ops::Intermediate to_negative(rows.outer);
  if (to_positive.data() == nullptr || to_negative.data() == nullptr) return;
  const auto shift = static_cast<ops::accumulator>(1e-6);
  ops::sum_sets(ops::SquaredDistance{anchor, positive, shift}, to_positive.data(), rows);
  ops::sum_sets(ops::SquaredDistance{anchor, negative, shift}, to_negative.data(), rows);
  const ops::TripletTerm term{to_positive.data(), to_negative.data(), static_cast<ops::accumulator>(margin)};
  ops::sum_over(term, rows.outer, rows.outer, loss);
}
