// From the comparison of an output with the expected one to a verdict and a class of precision.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "device/contents.h"
#include "problem/problem.h"
#include "record/verdict.h"

namespace kgrade {

struct Judgement {
  Verdict verdict = Verdict::accepted;
  Precision precision = Precision::fp32;
  // Infinite, both of them, when a non-finite value stands where the other output has something else.
  // ||actual - expected|| / ||expected||, Euclidean norms over all elements; of expected, or what it usually
  // is where that is larger.
  double relative_error = 0;
  // max |actual - expected| over the root mean square of expected, or the usual one where that is larger.
  double max_scaled_error = 0;
  // Elements further off than this are counted as wrong.
  double element_limit = 0;
  // Not reached only because the error seems to be concentrated in few elements; none where that is not why.
  Precision but_for_the_worst = Precision::none;
};

// No element may be off by more than this many times the class's threshold, in units of the root mean square
// of the expected output: rounding errors of a sum spread evenly, so even the worst of 10^9 normally
// distributed ones lies within 6.1 standard deviations; a bug is concentrated.
constexpr double element_factor = 16;

// An error within a class but concentrated in few elements (worst over root mean square above this) is a bug
// and not a matter of arithmetic: wrong_answer rather than low_precision.
constexpr double concentration_limit = 16;

// `usual_squares` is what the sum of squares of expected usually is, on other contents
// (verify/usual_norms.h).
Judgement judge(const ElementErrors& errors, const Thresholds& thresholds, Precision required,
                double usual_squares = 0);

// The same once it is known how many of the elements are wrong: where each is a sum of a few products, some
// far larger than others, errors of rounding are uneven too. Those that more than one element in 16 has are
// not concentrated: low_precision rather than wrong_answer.
Judgement reconsidered(Judgement judgement, std::uint64_t wrong, std::uint64_t compared);

}  // namespace kgrade
