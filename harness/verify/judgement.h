// From the comparison of an output with the expected one to a verdict and a class of precision, in units of
// how large the output usually is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contest/arena.h"
#include "device/contents.h"
#include "problem/problem.h"
#include "record/verdict.h"
#include "verify/checks.h"

namespace kgrade {

struct Judgement {
  Verdict verdict = Verdict::accepted;
  Precision precision = Precision::fp32;
  // Infinite, all of them, when a non-finite value stands where the other output has something else.
  // ||actual - expected|| / ||expected||, Euclidean norms over all elements; of expected, or what it usually
  // is where that is larger.
  double relative_error = 0;
  // max |actual - expected| over the root mean square of expected, or the usual one where that is larger; and
  // the same of the elements that are off by more than a little of their own size, which is what counts.
  double max_scaled_error = 0;
  double max_outstanding_error = 0;
  // Elements further off than this are counted as wrong.
  double element_limit = 0;
  // Not reached only because the error seems to be concentrated in few elements; none where that is not why.
  Precision but_for_the_worst = Precision::none;
};

// No element may be off by more than this many times the class's threshold, in units of the root mean square
// of the expected output: rounding errors of a sum spread evenly, so even the worst of 10^9 normally
// distributed ones lies within 6.1 standard deviations; a bug is concentrated. A larger error is
// allowed where it is at most relative_allowance of the element's own size (device/element_operations.h), unless the
// problem's thresholds are tighter than usual.
constexpr double element_factor = 16;

// An error within a class but concentrated in few elements (worst over root mean square above this) is a bug
// and not a matter of arithmetic: wrong_answer rather than low_precision.
constexpr double concentration_limit = 16;

// Of answers in which nothing is off: exact where the problem asks for it. Where it asks for another class,
// outputs that are compared exactly do not make an answer better than fp32.
Precision best_class(const Problem& problem);

// Of a class; infinite where none is asked for.
double threshold(const Thresholds& thresholds, Precision precision);

// `usual_squares` is what the sum of squares of expected usually is, on other contents (UsualNorms). An
// output that is not compared by its norm is right or wrong: there is no class in between.
Judgement judge(const ElementErrors& errors, const Thresholds& thresholds, Precision required,
                double usual_squares = 0, Comparison::Kind compare = Comparison::Kind::norm);
Judgement judge(const OutputErrors& output, const Thresholds& thresholds, Precision required,
                double usual_squares = 0);

// The same once it is known how many of the elements are wrong: where each is a sum of a few products, some
// far larger than others, errors of rounding are uneven too. Those that more than one element in 16 has are
// not concentrated: low_precision rather than wrong_answer.
Judgement reconsidered(Judgement judgement, std::uint64_t wrong, std::uint64_t compared);

// How large the outputs of a case are on other contents. An error is given in units of the norm of the
// oracle's output, and that norm is nearly zero now and then where the output has few elements, or few that
// are independent: sums of products of either sign cancel. What an honest answer is off by does not cancel
// with it. So the error is given in units of the usual norm where that is larger: the root mean square, over
// 16 to 64 other contents, of the norms of the oracle's outputs, but for the two largest, which must not
// decide what is usual.
//
// Of 10^6 draws of a 3 x 3 x 2 matrix product with inputs from uniform(0, 1) and weights from
// uniform(-1/sqrt(3), 1/sqrt(3)), products of operands rounded to TF32 are off by more than 1e-3 of the
// output's own norm in 1.2 of a hundred, and of the usual one, by 64 draws, in 2 of a hundred thousand (half
// of these however many draws there are).
class UsualNorms {
 public:
  // Of how many calls of the oracle. None where every output is so large that they make no difference: errors
  // of single precision are far from the threshold, and only the smallest outputs cancel that well; those of
  // lower classes are a third of theirs, and the smallest outputs get more calls.
  static int draws_of(const Case& bound, Precision required);

  // Where they matter: calls of the oracle, whose buffers are lent, on contents used for no other call. What
  // is wrong when it fails.
  std::optional<CallFinding> learn(Arena& arena, const Case& bound, Precision required, std::uint64_t seed);
  // Of one call of the oracle, of a single launch: outputs that were held against themselves.
  void add(const std::vector<OutputErrors>& outputs);
  // What the sum of squares of an output's elements usually is; 0 where nothing is known. In calls of several
  // launches, each one's outputs follow those of the one before.
  double squares(std::size_t output) const;

 private:
  std::vector<std::vector<double>> squares_;  // by output and call
};

}  // namespace kgrade
