// How large the outputs of a case are, learnt from samples of what the oracle leaves: which elements vary,
// how large the smaller three quarters of them are, what their squares usually sum up to, and how far the
// answer to other inputs is away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "contest/arena.h"
#include "device/contents.h"
#include "problem/problem.h"
#include "record/verdict.h"
#include "verify/checks.h"

namespace kgrade {

// Of a sample of an expected output, or of all of it. Elements that are not finite are left out. A value is
// common if it fills more than a hundredth of the sample; where nothing else is left, all elements vary.
Magnitudes magnitudes_of(std::span<const double> sample);
// The sample that Device::sample() would take.
std::vector<double> sample_of(std::span<const float> elements);

// The mean square of an output's elements: of all, of those that vary, and of the smaller of these.
struct MeanSquares {
  double all = 0;
  double varying = 0;
  double smaller = 0;
};

// The norm of the difference over the norm, of an answer to other inputs: the largest of the three figures
// that judge() compares with a bound. Both are samples of one output, element by element.
double distance_between(std::span<const double> other, std::span<const double> expected,
                        const Magnitudes& magnitudes);

// By output of a case (Arena::sample_expected).
using Samples = std::vector<std::vector<double>>;

class ExpectedScales {
 public:
  // How many calls of the oracle learn() makes. An error is given in units of the norm of the expected
  // output, and that norm is nearly zero now and then where the output has few elements, or few that are
  // independent: sums of products of either sign cancel. The rounding errors of an honest answer do not
  // cancel with it. So the error is given in units of the usual norm where that is larger: the root mean
  // square, over 16 to 64 other draws, of the norms of the oracle's outputs, except the two largest, which
  // must not decide what is usual. Other outputs are so large that this makes no difference, and get no such
  // calls.
  //
  // Of 10^6 draws of a 3 x 3 x 2 matrix product with inputs from uniform(0, 1) and weights from
  // uniform(-1/sqrt(3), 1/sqrt(3)), products of operands rounded to TF32 are off by more than 1e-3 of the
  // output's own norm in 1.2 of a hundred, and of the usual one, by 64 draws, in 2 of a hundred thousand
  // (half of these however many draws there are).
  static int draws_of(const Case& bound, Precision required);

  // Makes these calls; the oracle's buffers are lent. No other call has their contents, which are the same in
  // every run: so an error is given in the same units whoever else is graded. The finding says what is wrong
  // when one fails.
  std::optional<CallFinding> learn(Arena& arena, const Case& bound, Precision required);
  // What the oracle left of such calls, by call and output.
  void learn_from(const std::vector<Samples>& calls);
  // What the oracle left of a call on contents that are new throughout, by output. Without learn() the first
  // one tells the magnitudes.
  void add(const Samples& samples);
  // Whether another sample would tell more.
  bool wants_more() const { return seen_ < enough_samples; }

  // By output of the case. In calls of several launches each one's outputs follow those of the one before.
  std::vector<Magnitudes> magnitudes() const;
  // Zeros where learn() made no calls.
  MeanSquares usual(std::size_t output) const;
  // Whether all that was seen of an output is zero.
  bool is_zero(std::size_t output) const;
  // What the reference of a file with a Model is off by. A candidate may be off by twice as much, however
  // near the answers to other inputs are: the same Model is a right answer.
  void allow_twice(std::size_t output, double error_of_reference);
  // The same of a reference that is precise enough over all elements, but not over the elements that vary,
  // the smaller ones or single ones: there a candidate may be off by four times as much.
  void allow_beyond_bound(std::size_t output, const ElementErrors& reference);
  // The errors without those that this allows.
  ElementErrors without_allowed(std::size_t output, ElementErrors errors) const;
  // Whether the reference keeps the value of most elements, so that an answer that does not is wrong in every
  // class.
  void note_reference(std::size_t output, const ElementErrors& reference);
  bool keeps_values(std::size_t output) const;
  // The root mean square of the distances between answers to inputs that follow each other; infinite before
  // there are two.
  double distance(std::size_t output) const;

 private:
  struct Scale {
    Magnitudes magnitudes;
    std::vector<double> latest;
    MeanSquares usual;
    double squared_distances = 0;
    int distances = 0;
    double least_distance = 0;
    // Of allow_beyond_bound().
    double allowed_varying = 0;
    double allowed_smaller = 0;
    double allowed_scaled = 0;
    std::optional<bool> keeps_values;
  };
  static constexpr int enough_samples = 3;

  static Scale scale_of(const std::vector<Samples>& calls, std::size_t output);
  static void add_distance(Scale& scale, const std::vector<double>& sample);

  std::vector<Scale> scales_;
  int seen_ = 0;
};

}  // namespace kgrade
