// Learns how large the outputs of a case are from samples of the oracle's outputs: which elements vary, how
// large the smaller three quarters of them are, the usual sum of their squares, and the distance to the
// answer to other inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "contest/contest.h"
#include "device/contents.h"
#include "draw/draws.h"
#include "problem/case.h"
#include "problem/problem.h"
#include "record/verdict.h"
#include "verify/checks.h"

namespace kgrade {

// The magnitudes of an expected output, from a sample or all of it. Elements that are not finite are left
// out. A value is common, and does not vary, if it fills more than a hundredth of the sample. If all values
// are common, all elements vary.
Magnitudes magnitudes_of(std::span<const double> sample);
// The same sample as Device::sample() takes.
std::vector<double> sample_of(std::span<const float> elements);

// The mean squares of an output's elements: of all, of the varying ones, and of the smaller varying ones.
struct MeanSquares {
  double all = 0;
  double varying = 0;
  double smaller = 0;
};

// The distance of an answer to other inputs: the largest of the four relative errors that judge() compares
// with a bound. Both arguments are samples of the same elements of one output.
double distance_between(std::span<const double> other, std::span<const double> expected,
                        const Magnitudes& magnitudes);

// One sample per output of a case (Contest::sample_expected).
using Samples = std::vector<std::vector<double>>;

class ExpectedScales {
 public:
  ExpectedScales() = default;
  // The scales of one draw of families of inputs, from samples of its outputs. Honest sums of such inputs in
  // one thread may be off by more than sums of the case's own inputs. So bounds grow twice as fast with the
  // terms. The limits of limit_by_model() are those of the case's own inputs, until the Model's error on
  // these raises them.
  ExpectedScales(const Samples& of_families, const ExpectedScales& own);

  // How many calls of the oracle learn() makes. An error is given in units of the norm of the expected
  // output. If the output has few elements, or few independent ones, that norm is sometimes nearly zero,
  // because sums of products of either sign cancel. The rounding errors of an honest answer do not cancel
  // along with it. So the error is given in units of the usual norm if that is larger. The usual norm is the
  // root mean square of the norms of the oracle's outputs over 16 to 64 other draws, without the two largest.
  // Larger outputs need no such calls.
  //
  // An example is a 3 x 3 x 2 matrix product with inputs from uniform(0, 1) and weights from
  // uniform(-1/sqrt(3), 1/sqrt(3)), over 10^6 draws. Products of operands rounded to TF32 are off by more
  // than 1e-3 of the output's own norm in 1.2 % of the draws. They are off by more than 1e-3 of the usual
  // norm, from 64 draws, in 2 of 100,000 draws; in half of these, more draws would not help.
  static int draws_of(const Case& bound, Precision required);

  // Makes the calls that draws_of() counts. The oracle's buffers must be lent. The inputs of these calls are
  // used by no other call and are the same in every run, so errors have the same units whatever else is
  // graded. The finding says what is wrong if a call fails.
  std::optional<CallFinding> learn(Contest& contest, const Case& bound, Precision required);
  // Learns from samples of the calls that draws_of() counts, by call and output.
  void learn_from(const std::vector<Samples>& calls);
  // Adds the samples of a call whose inputs are entirely new, by output. Without learn(), the first call that
  // is added gives the magnitudes.
  void add(const Samples& samples);
  // Whether another sample would be useful.
  bool wants_more() const { return seen_ < enough_samples; }

  // Finds the outputs whose slices are judged separately, in the first call of this function. There must be a
  // sample. The case's inputs must be those of its own distribution: slices that differ in size only because
  // of a family of inputs must not be judged separately.
  void look_for_slices(const Case& bound);

  // By output of the case. If a call has several launches, the outputs of all launches follow one after the
  // other.
  std::vector<Magnitudes> magnitudes() const;
  // Zeros if learn() made no calls.
  MeanSquares usual(std::size_t output) const;
  // Whether the latest sample of an output is zero.
  bool is_zero(std::size_t output) const;
  // Whether the latest sample of an output has several elements, and all are equal.
  bool is_constant(std::size_t output) const;
  // Allows a candidate twice the error of a Model's reference, however near the answers to other inputs are,
  // because the Model itself is a right answer.
  void allow_twice(std::size_t output, double error_of_reference);
  // Limits the errors that any class allows, for a Model in a type of 16 bits: to four times its largest
  // error so far, or to `of_operators` if that is larger.
  void limit_by_model(std::size_t output, double error_of_reference, double of_operators);
  // The limit that limit_by_model() has set. Infinite if there is none.
  double limit(std::size_t output) const;
  // For a reference that is precise enough over all elements, but not over the varying, the smaller, the
  // common or single elements. Allows a candidate four times the reference's error there.
  void allow_beyond_bound(std::size_t output, const ElementErrors& reference);
  // The errors without the figures that allow_beyond_bound() allows. The errors of slices are left out too,
  // until a reference has shown that honest answers meet the bound in each slice.
  ElementErrors without_allowed(std::size_t output, ElementErrors errors) const;
  // Notes whether the reference keeps the value of most elements. If it does, an answer that loses them is
  // wrong in every class. Notes also whether its error in each slice is at most `most_in_slice`. After the
  // first call with a larger error in a slice, slices of this output are not judged separately.
  void note_reference(std::size_t output, const ElementErrors& reference, double most_in_slice = 0);
  bool keeps_values(std::size_t output) const;
  // The root mean square of the distances between the answers to successive inputs. Infinite before there are
  // two answers.
  double distance(std::size_t output) const;
  // How fast bounds grow with the terms of a sum, as a multiple of the usual growth.
  double growth() const { return growth_; }

 private:
  struct Scale {
    Magnitudes magnitudes;
    std::vector<double> latest;
    MeanSquares usual;
    double squared_distances = 0;
    int distances = 0;
    double least_distance = 0;
    std::optional<double> limit;  // of limit_by_model()
    // Set by allow_beyond_bound().
    double allowed_varying = 0;
    double allowed_smaller = 0;
    double allowed_common = 0;
    double allowed_scaled = 0;
    std::optional<bool> keeps_values;
    std::optional<bool> keeps_slices;  // whether the reference is precise in each slice
  };
  static constexpr int enough_samples = 3;

  static Scale scale_of(const std::vector<Samples>& calls, std::size_t output);
  static void add_distance(Scale& scale, const std::vector<double>& sample);

  std::vector<Scale> scales_;
  bool knows_slices_ = false;
  int seen_ = 0;
  double growth_ = 1;
};

// Whether families make an output constant that usually is not. Such an output may consist of rounding errors
// alone. `varied` are the scales of a draw of families, and `own` those of the case.
bool is_made_constant(const ExpectedScales& varied, const ExpectedScales& own, std::size_t output);

// The draws that the reference must answer well before a draw of families counts, because such a draw tells
// right answers from wrong ones (tells_right_from_wrong() in verify/judgement.h). Each is that draw with its
// inputs rounded once more, as an honest candidate of the problem's class may round them. Inputs are not
// rounded if outputs are compared exactly, or if all outputs are made constant.
std::vector<Draw> draws_that_decide(const Problem& problem, const Case& bound, const Draw& draw,
                                    const ExpectedScales& varied, const ExpectedScales& own);

}  // namespace kgrade
