// Turns the comparison of an output with the expected output into a verdict and a precision class.
//
// The rule: an answer is in a class if six figures are within the class's bound (error_bounds()). Three of
// them are relative errors: the norm of the difference, divided by the norm of the expected output. The first
// is of all elements, the second of the elements that vary, and the third of the smaller three quarters of
// the varying elements. The fourth is the largest difference of a single element, divided by 16. Its unit is
// that element's size or the root mean square of the element's set, whichever is larger. The fifth is the
// mean error of the elements with a common value, each in units of that value. The sixth is like the fourth,
// but with the root mean square of the element's slice, for outputs whose slices are of very different sizes
// (ExpectedScales::look_for_slices()). docs/verdicts.md explains it.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/enum_words.h"
#include "contest/contest.h"
#include "device/contents.h"
#include "problem/problem.h"
#include "record/verdict.h"
#include "verify/checks.h"
#include "verify/expected_scales.h"

namespace kgrade {

// Euclidean norms of the difference, divided by norms of the expected output, for three sets of elements.
// `common` is the mean error of the elements with a common value.
struct RelativeErrors {
  double all = 0;
  double varying = 0;
  double smaller = 0;
  double common = 0;

  double largest() const;
};
// The errors in units of the set's norm, or of its usual norm if that is larger. 0 for a set without
// elements.
RelativeErrors relative_errors(const ElementErrors& errors, const MeanSquares& usual = {});

// The largest of the six figures.
enum class ErrorFigure { all, varying, smaller, element, common, slice };
template <>
inline constexpr std::array<std::string_view, 6> enum_words<ErrorFigure> = {
    "the whole output",
    "the elements that vary",
    "the smaller three quarters of the elements that vary",
    "single elements",
    "the elements that share a value",
    "the elements of one slice"};

// A single element may be off by this many times the bound: rounding errors of a sum spread evenly, so even
// the worst of 10^9 normally distributed errors lies within 6.1 standard deviations. A bug is concentrated on
// few elements.
constexpr double element_factor = 16;

// The bounds of lower classes are at most ExpectedScales::distance() divided by this factor.
constexpr double share_of_distance = 10;

struct Judgement {
  Verdict verdict = Verdict::accepted;
  Precision precision = Precision::fp32;
  // The largest of the four relative errors. This error and max_scaled_error are infinite if a non-finite
  // value is compared with a different value.
  double relative_error = 0;
  // The largest difference of a single element, in the units of device::unit_of(), or in those of its slice.
  double max_scaled_error = 0;
  ErrorFigure decided_by = ErrorFigure::all;
  // Elements with larger errors, in the units of device::own_unit_of(), count as wrong.
  double element_limit = 0;

  // The figure that is compared with the bound: the largest of the six.
  double figure() const;
};

// The class of an answer without any error: exact if the problem requires that, otherwise fp32, even if
// outputs are compared exactly.
Precision best_class(const Problem& problem);

// The threshold of a class. Infinite for Precision::none.
double threshold(const Thresholds& thresholds, Precision precision);

// The bounds of the classes for one output of a case. They grow with the length of the longest sum, `terms`.
// A sum of n products in float, one after the other, is off by at most 2.5 x 2^-24 sqrt(n) up to 2^20 terms,
// and usually by a tenth of that. A sum of 393,216 exponentials is off by 5.4 x 2^-24 sqrt(n). The growth
// stops at 2.2e-4, because products of operands rounded to TF32 are off by 2.8e-4. It also stops at a third
// of `distance`. `distance` is the relative error of a right answer to other inputs
// (ExpectedScales::distance()). The bounds of lower classes are at most a tenth of `distance`. A class is not
// offered if that leaves no room for it.
Thresholds error_bounds(const Thresholds& thresholds, double terms, Dtype dtype,
                        double distance = std::numeric_limits<double>::infinity());
// The bounds for output number `output` of a case. If the problem has no lower classes, all bounds equal the
// bound of fp32. `growth` is a factor: the bounds grow this many times as fast with the terms.
Thresholds error_bounds(const Problem& problem, const Case& bound, std::size_t output,
                        double distance = std::numeric_limits<double>::infinity(), double growth = 1);
// Like the function above, with the distance, the growth and the limit from the scales of the case's draws.
Thresholds error_bounds(const Problem& problem, const Case& bound, std::size_t output,
                        const ExpectedScales& scales);
// The largest error that rounding may cause if each operator of a Model rounds to a type of 16 bits: four
// roundings for each. Infinite if the number of operators is unknown.
double rounding_of_operators(const Problem& problem);
// Limits the errors of an output by the error of a Model in a type of 16 bits
// (ExpectedScales::limit_by_model()). Other problems have no limit. A device that does not measure speed sets
// no limit, because PyTorch on a CPU rounds in other places.
void limit_by_model(const Problem& problem, bool measures_speed, std::size_t output, double error_of_model,
                    ExpectedScales& scales);

// An output that is not compared by its norm is either right or wrong, without classes.
Judgement judge(const ElementErrors& errors, const Thresholds& bounds, Precision required,
                const MeanSquares& usual = {}, Comparison::Kind compare = Comparison::Kind::norm);
Judgement judge(const OutputErrors& output, const Thresholds& bounds, Precision required,
                const MeanSquares& usual = {});
// Judges output number `index` of a call in a case.
Judgement judge(const OutputErrors& output, std::size_t index, const Problem& problem, const Case& bound,
                const ExpectedScales& scales, Precision required);

// To how many bits of a significand an honest candidate of a class may round its inputs (Draw::rounding).
std::int32_t rounded_bits(Precision asked);

// The bound divided by the largest error that a reference may have. This factor leaves room in the bound for
// honest answers in other orders or by other formulas. The factor is larger if the reference is a Model,
// because other formulas for it are not known.
double room_for_honest_ways(const Problem& problem);

// Whether inputs of a family tell right answers from wrong ones. `output` is the reference's answer to these
// inputs, rounded once more (Draw::rounding), compared with the oracle's answer to the inputs as they were
// drawn. Its error times room_for_honest_ways() must be within the bound. All elements of the answer must be
// finite.
bool tells_right_from_wrong(const OutputErrors& output, std::size_t index, const Problem& problem,
                            const Case& bound, const ExpectedScales& scales, Precision required);

}  // namespace kgrade
