#include "grade/usual_norms.h"

#include <algorithm>
#include <cmath>

namespace kgrade {
namespace {

// See spec/hidden_cases.cc for the first. The second bounds what the oracle's calls cost: a larger output of
// so few independent elements that it cancels is not known.
constexpr std::int64_t few_for_single_precision = 32;
constexpr std::int64_t few_for_lower_classes = 1 << 16;

}  // namespace

bool UsualNorms::matter(const Case& bound, Precision required) {
  const std::int64_t few = required == Precision::fp32 ? few_for_single_precision : few_for_lower_classes;
  return std::any_of(bound.tensors.begin(), bound.tensors.end(),
                     [few](const Tensor& tensor) { return tensor.output && tensor.elements < few; });
}

void UsualNorms::add(const std::vector<OutputComparison>& outputs) {
  sums_.resize(std::max(sums_.size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) sums_[i] += outputs[i].comparison.sum_squared_expected;
  ++calls_;
}

double UsualNorms::squares(std::size_t output) const {
  if (output >= sums_.size() || !std::isfinite(sums_[output])) return 0;
  return sums_[output] / calls_;
}

}  // namespace kgrade
