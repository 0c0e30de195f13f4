#include "grade/usual_norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "grade/draws.h"
#include "grade/session.h"

namespace kgrade {
namespace {

// See spec/hidden_cases.cc for the first. The second bounds what the oracle's calls cost: a larger output of
// so few independent elements that it cancels is not known.
constexpr std::int64_t few_for_single_precision = 32;
constexpr std::int64_t few_for_lower_classes = 1 << 16;

// Other contents than those of grade/baseline_bench.cc, grade/reference_watch.cc and all calls of a case.
constexpr std::uint32_t first_draw = 3 << 20;

}  // namespace

bool UsualNorms::matter(const Case& bound, Precision required) {
  const std::int64_t few = required == Precision::fp32 ? few_for_single_precision : few_for_lower_classes;
  return std::any_of(bound.tensors.begin(), bound.tensors.end(),
                     [few](const Tensor& tensor) { return tensor.output && tensor.elements < few; });
}

std::optional<CallFinding> UsualNorms::learn(Arena& arena, const Case& bound, Precision required,
                                             std::uint64_t seed) {
  if (!matter(bound, required)) return std::nullopt;
  DrawSequence draws(seed, first_draw);
  for (int call = 0; call < norm_draws; ++call) {
    const CallReport report = arena.appraise(draws.fresh(), trusted_patience);
    if (auto finding = review_call(report)) return finding;
    add(report.outputs);
  }
  return std::nullopt;
}

void UsualNorms::add(const std::vector<OutputComparison>& outputs) {
  squares_.resize(std::max(squares_.size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    squares_[i].push_back(outputs[i].comparison.sum_squared_expected);
}

double UsualNorms::squares(std::size_t output) const {
  if (squares_.empty()) return 0;
  std::vector<double> usual = squares_[output % squares_.size()];
  if (usual.size() > rare_norms) {
    std::sort(usual.begin(), usual.end());
    usual.resize(usual.size() - rare_norms);
  }
  const double sum = std::accumulate(usual.begin(), usual.end(), 0.0);
  return std::isfinite(sum) && !usual.empty() ? sum / static_cast<double>(usual.size()) : 0;
}

}  // namespace kgrade
