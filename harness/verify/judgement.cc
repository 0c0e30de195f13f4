#include "verify/judgement.h"

#include <array>
#include <cmath>
#include <limits>

namespace kgrade {
namespace {

// One in so many of them, at most.
constexpr std::uint64_t few_elements = 16;

double threshold(const Thresholds& thresholds, Precision precision) {
  switch (precision) {
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

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

// The best class whose bounds hold.
Precision reached(const Judgement& judgement, const Thresholds& thresholds) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const double bound = threshold(thresholds, precision);
    // Written so that NaN fails.
    if (judgement.relative_error <= bound && judgement.max_scaled_error <= element_factor * bound)
      return precision;
  }
  return Precision::none;
}

}  // namespace

Judgement judge(const ElementErrors& errors, const Thresholds& thresholds, Precision required,
                double usual_squares) {
  Judgement judgement;
  const double count = static_cast<double>(errors.compared);
  const double squares = std::max(errors.sum_squared_expected, usual_squares);
  const double rms_expected = count > 0 ? std::sqrt(squares / count) : 0;
  const double rms_difference = count > 0 ? std::sqrt(errors.sum_squared_difference / count) : 0;
  judgement.relative_error = ratio(std::sqrt(errors.sum_squared_difference), std::sqrt(squares));
  judgement.max_scaled_error = ratio(errors.max_abs_difference, rms_expected);
  judgement.element_limit = element_factor * threshold(thresholds, required) * rms_expected;
  judgement.precision = reached(judgement, thresholds);
  if (errors.nonfinite_mismatches > 0) {
    judgement.relative_error = std::numeric_limits<double>::infinity();
    judgement.max_scaled_error = std::numeric_limits<double>::infinity();
    judgement.precision = Precision::none;
  }
  if (judgement.precision <= required) return judgement;
  const bool concentrated = errors.max_abs_difference > concentration_limit * rms_difference;
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

}  // namespace kgrade
