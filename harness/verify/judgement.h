// From the comparison of an output with the expected one to a verdict and a class of precision.
//
// The rule: an answer is of a class if four figures are within the class's bound (ErrorBounds): the norm of
// the difference over the norm of the expected output, over all elements, over those that vary, and over the
// smaller three quarters of those; and a sixteenth of the largest difference of a single element, in units of
// that element's size or of the root mean square of its set, whichever is larger. docs/verdicts.md explains
// it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contest/arena.h"
#include "device/contents.h"
#include "problem/problem.h"
#include "record/verdict.h"
#include "verify/checks.h"
#include "verify/expected_scales.h"

namespace kgrade {

// Norms of the difference over norms of the expected output, Euclidean, over three sets of elements.
struct RelativeErrors {
  double all = 0;
  double varying = 0;
  double smaller = 0;

  double largest() const;
};
// In units of the usual norm of a set where that is larger. 0 for a set without elements.
RelativeErrors relative_errors(const ElementErrors& errors, const MeanSquares& usual = {});

// Which of the four figures is largest.
enum class ErrorFigure { all, varying, smaller, element };
// "the whole output", "the elements that vary", "the smaller three quarters of the elements that vary",
// "single elements".
std::string_view to_string(ErrorFigure figure);

// A single element may be off by this many times the bound: rounding errors of a sum spread evenly, so even
// the worst of 10^9 normally distributed ones lies within 6.1 standard deviations; a bug is concentrated.
constexpr double element_factor = 16;

// No class allows more than this part of the distance to the answer to other inputs.
constexpr double share_of_distance = 10;

struct Judgement {
  Verdict verdict = Verdict::accepted;
  Precision precision = Precision::fp32;
  // The largest of the three relative errors. Infinite, as the others, when a non-finite value stands where
  // the other output has something else.
  double relative_error = 0;
  // The largest difference of a single element, in the units of device::unit_of().
  double max_scaled_error = 0;
  ErrorFigure decided_by = ErrorFigure::all;
  // Elements further off than this, in the same units, are counted as wrong.
  double element_limit = 0;
};

// Of answers in which nothing is off: exact where the problem asks for it. Where it asks for another class,
// outputs that are compared exactly do not make an answer better than fp32.
Precision best_class(const Problem& problem);

// Of a class; infinite where none is asked for.
double threshold(const Thresholds& thresholds, Precision precision);

// The bounds of the classes for one output of a case. They grow with the length of the longest sum, `terms`:
// a sum of n products in float, one after the other, is off by at most 2.5 x 2^-24 sqrt(n) up to 2^20 terms,
// usually by a tenth of that, and a sum of 393,216 exponentials by 5.4 x 2^-24 sqrt(n). The growth stops
// at 2.2e-4, since products of operands rounded to TF32 are off by 2.8e-4, and at a third of `distance`,
// which is how far away the answer to other inputs is. The bounds of lower classes are a tenth of it at most:
// a class that this leaves no room for is not offered.
Thresholds error_bounds(const Thresholds& thresholds, double terms, Dtype dtype,
                        double distance = std::numeric_limits<double>::infinity());
// Of output number `output` of a case.
Thresholds error_bounds(const Thresholds& thresholds, const Case& bound, std::size_t output,
                        double distance = std::numeric_limits<double>::infinity());

// An output that is not compared by its norm is right or wrong: there is no class in between.
Judgement judge(const ElementErrors& errors, const Thresholds& bounds, Precision required,
                const MeanSquares& usual = {}, Comparison::Kind compare = Comparison::Kind::norm);
Judgement judge(const OutputErrors& output, const Thresholds& bounds, Precision required,
                const MeanSquares& usual = {});
// Of output number `index` of a call in a case.
Judgement judge(const OutputErrors& output, std::size_t index, const Problem& problem, const Case& bound,
                const ExpectedScales& scales, Precision required);

}  // namespace kgrade
