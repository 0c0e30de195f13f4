#include "verify/judgement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "draw/draws.h"

namespace kgrade {
namespace {

// At most one in so many elements are few.
constexpr std::uint64_t few_elements = 16;

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

// The best class whose bounds hold.
Precision reached(const Judgement& judgement, const Thresholds& thresholds) {
  // An output that is compared by its norm is of no class above fp32.
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const double bound = threshold(thresholds, precision);
    // Written so that NaN fails.
    if (judgement.relative_error <= bound && judgement.max_outstanding_error <= element_factor * bound)
      return precision;
  }
  return Precision::none;
}

// See problem/hidden_cases.cc for the first. The second bounds what the oracle's calls cost: a larger output
// of so few independent elements that it cancels is not known.
constexpr std::int64_t few_for_single_precision = 32;
constexpr std::int64_t few_for_lower_classes = 1 << 16;

constexpr int usual_draws = 16;
constexpr int many_draws = 64;
constexpr std::size_t rare_norms = 2;

bool has_output_below(const Case& bound, std::int64_t elements) {
  return std::any_of(bound.tensors.begin(), bound.tensors.end(), [elements](const Tensor& tensor) {
    return tensor.output && tensor.compare == Comparison::Kind::norm && tensor.elements < elements;
  });
}

Judgement judge_exactly(const ElementErrors& errors) {
  Judgement judgement;
  judgement.precision = Precision::exact;
  if (errors.max_abs_difference == 0 && errors.nonfinite_mismatches == 0) return judgement;
  judgement.verdict = Verdict::wrong_answer;
  judgement.precision = Precision::none;
  judgement.relative_error =
      ratio(std::sqrt(errors.sum_squared_difference), std::sqrt(errors.sum_squared_expected));
  judgement.max_scaled_error =
      ratio(errors.max_abs_difference,
            std::sqrt(errors.sum_squared_expected / static_cast<double>(errors.compared)));
  return judgement;
}

// Other contents than those of grade/baseline_bench.cc, grade/candidate_run.cc and all calls of a case.
constexpr std::uint32_t first_norm_draw = 3 << 20;

}  // namespace

Precision best_class(const Problem& problem) {
  return problem.is_exact() ? Precision::exact : Precision::fp32;
}

double threshold(const Thresholds& thresholds, Precision precision) {
  switch (precision) {
    case Precision::exact:
      return 0;
    case Precision::fp32:
      return thresholds.fp32;
    case Precision::tf32:
      return thresholds.tf32;
    case Precision::bf16:
      return thresholds.bf16;
    case Precision::none:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

Judgement judge(const OutputErrors& output, const Thresholds& thresholds, Precision required,
                double usual_squares) {
  return judge(output.errors, thresholds, required, usual_squares, output.compare);
}

Judgement judge(const ElementErrors& errors, const Thresholds& thresholds, Precision required,
                double usual_squares, Comparison::Kind compare) {
  if (!has_norm(compare)) return judge_exactly(errors);
  Judgement judgement;
  const double squared_difference = std::max(0.0, errors.sum_squared_difference);
  const double count = static_cast<double>(errors.compared);
  const double squares = std::max(errors.sum_squared_expected, usual_squares);
  const double rms_expected = count > 0 ? std::sqrt(squares / count) : 0;
  const double rms_difference = count > 0 ? std::sqrt(squared_difference / count) : 0;
  judgement.relative_error = ratio(std::sqrt(squared_difference), std::sqrt(squares));
  judgement.max_scaled_error = ratio(errors.max_abs_difference, rms_expected);
  // Where less than usual is allowed, a little of its own size is too much.
  const bool is_tight = thresholds.fp32 < Thresholds().fp32;
  const double outstanding = is_tight ? errors.max_abs_difference : errors.max_outstanding_difference;
  judgement.max_outstanding_error = ratio(outstanding, rms_expected);
  judgement.element_limit = element_factor * threshold(thresholds, required) * rms_expected;
  judgement.precision = reached(judgement, thresholds);
  if (errors.nonfinite_mismatches > 0) {
    judgement.relative_error = std::numeric_limits<double>::infinity();
    judgement.max_scaled_error = std::numeric_limits<double>::infinity();
    judgement.max_outstanding_error = std::numeric_limits<double>::infinity();
    judgement.precision = Precision::none;
  }
  if (judgement.precision <= required) return judgement;
  const bool concentrated = outstanding > concentration_limit * rms_difference;
  if (concentrated) {
    judgement.but_for_the_worst = judgement.precision;
    judgement.precision = Precision::none;
  }
  judgement.verdict = judgement.precision == Precision::none ? Verdict::wrong_answer : Verdict::low_precision;
  return judgement;
}

Judgement reconsidered(Judgement judgement, std::uint64_t wrong, std::uint64_t compared) {
  if (judgement.but_for_the_worst == Precision::none || wrong <= compared / few_elements) return judgement;
  judgement.precision = judgement.but_for_the_worst;
  judgement.verdict = Verdict::low_precision;
  return judgement;
}

int UsualNorms::draws_of(const Case& bound, Precision required) {
  const bool is_close = required != Precision::fp32;
  if (has_output_below(bound, few_for_single_precision)) return is_close ? many_draws : usual_draws;
  return is_close && has_output_below(bound, few_for_lower_classes) ? usual_draws : 0;
}

std::optional<CallFinding> UsualNorms::learn(Arena& arena, const Case& bound, Precision required,
                                             std::uint64_t seed) {
  DrawSequence draws(seed, first_norm_draw);
  for (int call = draws_of(bound, required); call > 0; --call) {
    const CallReport report = arena.appraise(draws.fresh(), trusted_patience);
    if (auto finding = review_call(report)) return finding;
    add(report.outputs);
  }
  return std::nullopt;
}

void UsualNorms::add(const std::vector<OutputErrors>& outputs) {
  squares_.resize(std::max(squares_.size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    squares_[i].push_back(outputs[i].errors.sum_squared_expected);
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
