#include "verify/judgement.h"

#include <algorithm>
#include <cmath>

namespace kgrade {
namespace {

// The growth of a bound with the terms of a sum: see error_bounds().
constexpr double growth_factor = 6;
constexpr double most_growth_of_fp32 = 2.2e-4;
constexpr double most_growth_of_tf32 = 2.2e-3;
// Growth stops at the distance to the answer to other inputs divided by this. The sum of one half of very
// many numbers is off by 0.7 of the distance, times a normally distributed number.
constexpr double share_of_distance_for_growth = 3;
// Products of operands rounded to 8 bits are off by this at most: by 0.015 in int8 with a scale for each
// tensor, by 0.04 in float8_e4m3fn.
constexpr double most_error_of_8_bits = 6e-2;

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

// The squared difference of codes may be negative.
double relative_error(double squared_difference, double squared_expected, double usual_squares) {
  return ratio(std::sqrt(std::max(0.0, squared_difference)),
               std::sqrt(std::max(squared_expected, usual_squares)));
}

double relative_error(const SetErrors& set, double usual_mean_square) {
  return relative_error(set.squared_difference, set.squared_expected,
                        usual_mean_square * static_cast<double>(set.elements));
}

// Whether all errors are within the bound of a class. Elements of less than usual size may be off by
// `allowance_of_smaller` times the bound.
bool is_within(const RelativeErrors& errors, double element_figure, double bound,
               double allowance_of_smaller) {
  // The comparison is written so that NaN fails.
  return std::max({errors.all, errors.varying, errors.smaller / allowance_of_smaller, errors.common,
                   element_figure}) <= bound;
}

// In classes below fp32, the smaller elements may be off by four times the bound. If inputs differ in size,
// the smaller elements include small sums of large terms, which have the rounding errors of large sums.
// Errors of lower classes are usually a third of their thresholds.
constexpr double allowance_of_lower_classes = 4;

// The best class whose bound holds. It is at most fp32 for an output that is compared by its norm.
Precision reached(const RelativeErrors& errors, double element_figure, const Thresholds& bounds) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const double allowance = precision == Precision::fp32 ? 1 : allowance_of_lower_classes;
    if (is_within(errors, element_figure, threshold(bounds, precision), allowance)) return precision;
  }
  return Precision::none;
}

// The figure that decides. If a set equals a larger set, the larger one is named.
ErrorFigure deciding(const RelativeErrors& relative, double element_figure, const ElementErrors& errors) {
  if (element_figure > relative.largest()) {
    const bool is_in_slice = errors.max_difference_in_slice > errors.max_scaled_difference;
    return is_in_slice ? ErrorFigure::slice : ErrorFigure::element;
  }
  if (relative.common > std::max({relative.all, relative.varying, relative.smaller}))
    return ErrorFigure::common;
  const bool all_vary = errors.varying.elements == errors.compared;
  const bool all_are_smaller = errors.smaller.elements == errors.varying.elements;
  if (!all_are_smaller && relative.smaller > std::max(relative.all, relative.varying))
    return ErrorFigure::smaller;
  const double varying = all_are_smaller ? std::max(relative.varying, relative.smaller) : relative.varying;
  return !all_vary && varying > relative.all ? ErrorFigure::varying : ErrorFigure::all;
}

Judgement judge_exactly(const ElementErrors& errors) {
  Judgement judgement;
  judgement.precision = Precision::exact;
  if (errors.max_abs_difference == 0 && errors.nonfinite_mismatches == 0) return judgement;
  judgement.verdict = Verdict::wrong_answer;
  judgement.precision = Precision::none;
  judgement.relative_error = relative_errors(errors).all;
  judgement.max_scaled_error =
      ratio(errors.max_abs_difference,
            std::sqrt(errors.sum_squared_expected / static_cast<double>(errors.compared)));
  return judgement;
}

}  // namespace

double Judgement::figure() const { return std::max(relative_error, max_scaled_error / element_factor); }

double RelativeErrors::largest() const { return std::max({all, varying, smaller, common}); }

RelativeErrors relative_errors(const ElementErrors& errors, const MeanSquares& usual) {
  // Near the floor of a clamp, rounding errors of its argument decide whether an element is on the floor.
  // These errors may be large beside the floor, but few elements are that near. Among few elements, one such
  // element must not decide the mean error of the elements with a common value.
  constexpr double few = 1000;
  const auto common = static_cast<double>(errors.compared - errors.varying.elements);
  return {relative_error(errors.sum_squared_difference, errors.sum_squared_expected,
                         usual.all * static_cast<double>(errors.compared)),
          relative_error(errors.varying, usual.varying), relative_error(errors.smaller, usual.smaller),
          errors.common / std::max(few, common)};
}

Precision best_class(const Problem& problem) {
  return problem.is_exact() ? Precision::exact : Precision::fp32;
}

double threshold(const Thresholds& thresholds, Precision precision) {
  if (precision == Precision::exact) return 0;
  if (precision == Precision::fp32) return thresholds.fp32;
  if (precision == Precision::tf32) return thresholds.tf32;
  if (precision == Precision::bf16) return thresholds.bf16;
  return std::numeric_limits<double>::infinity();
}

Thresholds error_bounds(const Thresholds& thresholds, double terms, Dtype dtype, double distance) {
  const double growth = growth_factor * (dtype == Dtype::float64 ? 0x1p-53 : 0x1p-24) * std::sqrt(terms);
  const double most = distance / share_of_distance;
  const double most_growth = std::min(most_growth_of_fp32, distance / share_of_distance_for_growth);
  Thresholds bounds;
  bounds.fp32 = std::max(thresholds.fp32, std::min(growth, most_growth));
  const double tf32 = std::max(thresholds.tf32, std::min(growth, most_growth_of_tf32));
  bounds.tf32 = std::max(bounds.fp32, std::min(tf32, most));
  bounds.bf16 = std::max(bounds.tf32, std::min(thresholds.bf16, most));
  return bounds;
}

Thresholds error_bounds(const Problem& problem, const Case& bound, std::size_t output, double distance,
                        double growth) {
  const std::vector<const Tensor*> outputs = bound.outputs();
  const Tensor* const tensor = outputs.empty() ? nullptr : outputs[output % outputs.size()];
  Thresholds bounds =
      error_bounds(tensor != nullptr ? problem.thresholds_of(tensor->name) : problem.thresholds,
                   growth * growth * static_cast<double>(bound.terms),
                   tensor != nullptr ? bound.dtype_of(*tensor) : bound.dtype, distance);
  if (problem.only_fp32) bounds.tf32 = bounds.bf16 = bounds.fp32;
  return bounds;
}

Thresholds error_bounds(const Problem& problem, const Case& bound, std::size_t output,
                        const ExpectedScales& scales) {
  Thresholds bounds = error_bounds(problem, bound, output, scales.distance(output), scales.growth());
  bounds.bf16 = std::max(bounds.tf32, std::min(bounds.bf16, scales.limit(output)));
  return bounds;
}

double rounding_of_operators(const Problem& problem) {
  constexpr double roundings = 4;
  const std::int64_t operators = problem.torch ? problem.torch->operators : 0;
  if (operators == 0) return std::numeric_limits<double>::infinity();
  return roundings * static_cast<double>(operators) * std::exp2(-significant_bits(problem.dtype));
}

void limit_by_model(const Problem& problem, bool measures_speed, std::size_t output, double error_of_model,
                    ExpectedScales& scales) {
  if (problem.has_model() && problem.dtype != Dtype::float32 && measures_speed)
    scales.limit_by_model(output, error_of_model, rounding_of_operators(problem));
}

Judgement judge(const OutputErrors& output, const Thresholds& bounds, Precision required,
                const MeanSquares& usual) {
  return judge(output.errors, bounds, required, usual, output.compare);
}

Judgement judge(const ElementErrors& errors, const Thresholds& bounds, Precision required,
                const MeanSquares& usual, Comparison::Kind compare) {
  // check() judges all outputs together.
  if (compare == Comparison::Kind::property) return {};
  if (!has_norm(compare)) return judge_exactly(errors);
  const double element_limit = element_factor * threshold(bounds, required);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (errors.nonfinite_mismatches > 0)
    return {Verdict::wrong_answer, Precision::none, infinity, infinity, ErrorFigure::element, element_limit};
  const RelativeErrors relative = relative_errors(errors, usual);
  Judgement judgement;
  judgement.relative_error = relative.largest();
  judgement.max_scaled_error = std::max(errors.max_scaled_difference, errors.max_difference_in_slice);
  const double element_figure = judgement.max_scaled_error / element_factor;
  judgement.decided_by = deciding(relative, element_figure, errors);
  judgement.element_limit = element_limit;
  judgement.precision = reached(relative, element_figure, bounds);
  if (judgement.precision <= required) return judgement;
  // Rounding errors are spread over all elements and change most of them little. An error in a few elements
  // is a bug, however small. An error by which many elements lose their value is a bug too.
  constexpr std::uint64_t many = 4;  // more than one in this many is too many
  const bool is_rounding =
      judgement.decided_by != ErrorFigure::element && errors.lost * many <= errors.varying.elements;
  if (!is_rounding) judgement.precision = Precision::none;
  // There is no class below bf16. An answer in 8 bits has none, and is of low precision nevertheless.
  const bool is_in_8_bits =
      is_rounding && required == Precision::bf16 &&
      is_within(relative, element_figure, most_error_of_8_bits, allowance_of_lower_classes);
  judgement.verdict =
      judgement.precision != Precision::none || is_in_8_bits ? Verdict::low_precision : Verdict::wrong_answer;
  return judgement;
}

Judgement judge(const OutputErrors& output, std::size_t index, const Problem& problem, const Case& bound,
                const ExpectedScales& scales, Precision required) {
  Judgement judgement =
      judge(scales.without_allowed(index, output.errors), error_bounds(problem, bound, index, scales),
            required, scales.usual(index), output.compare);
  // As for classes, so for 8 bits: no error counts as rounding that the answer to other inputs might have.
  if (judgement.verdict == Verdict::low_precision && judgement.precision == Precision::none &&
      judgement.figure() > scales.distance(index) / share_of_distance)
    judgement.verdict = Verdict::wrong_answer;
  // Large elements may hide that most other elements are lost.
  const bool are_lost = has_norm(output.compare) && 2 * output.errors.lost > output.errors.varying.elements;
  if (are_lost && scales.keeps_values(index)) {
    judgement.verdict = Verdict::wrong_answer;
    judgement.precision = Precision::none;
  }
  return judgement;
}

std::int32_t rounded_bits(Precision asked) {
  switch (asked) {
    case Precision::tf32:
      return 11;
    case Precision::bf16:
      return significant_bits(Dtype::bfloat16);
    default:
      return significant_bits(Dtype::float64);
  }
}

double room_for_honest_ways(const Problem& problem) { return problem.has_model() ? 10 : 3; }

bool tells_right_from_wrong(const OutputErrors& output, std::size_t index, const Problem& problem,
                            const Case& bound, const ExpectedScales& scales, Precision required) {
  const std::vector<const Tensor*> outputs = bound.outputs();
  const auto elements = static_cast<std::uint64_t>(outputs[index % outputs.size()]->elements);
  if (has_norm(output.compare) && output.errors.compared < elements) return false;
  Thresholds bounds = error_bounds(problem, bound, index);
  for (double* const threshold : {&bounds.fp32, &bounds.tf32, &bounds.bf16})
    *threshold /= room_for_honest_ways(problem);
  return judge(output, bounds, required, scales.usual(index)).verdict == Verdict::accepted;
}

}  // namespace kgrade
