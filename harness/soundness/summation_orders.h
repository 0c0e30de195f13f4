// Runs the reference with its sums in other orders, to measure how much the order changes the error.
//
// The reference's source fixes the order of the terms. But if all operands of a sum are rearranged in the
// same way along the summed axis, the sum stays the same and its terms come in another order. Examples are a
// shuffle of an image's and a filter's channels together, or a reversed row. No declaration says which
// rearrangements are allowed. So the oracle, in double precision, must give the same answer as before. If the
// axis is also an axis of the output, the answer must be rearranged in the same way. Changed bits in the
// reference's answer show that the order of a sum has changed. Both tests assume that in single precision a
// rearrangement changes nothing but the order of summation.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "soundness/reference_runner.h"

namespace kgrade {

struct Arrangement {
  std::string name;       // "in_channels shuffled"
  bool reversed = false;  // else shuffled
  // The rearranged axes of each tensor, in the order of the parameters.
  std::vector<std::vector<std::size_t>> axes;
};

// The arrangements that may leave a problem's answer unchanged, at most most_arrangements: the last axes
// reversed in all tensors of the highest rank, and axes that share a parameter shuffled together. Computed
// inputs are never rearranged. The problem must have shapes.
std::vector<Arrangement> arrangements_of(const Problem& problem);
inline constexpr std::size_t most_arrangements = 64;

// The values of a tensor with each of the axes rearranged, in the same way for every tensor. A shuffle of a
// longer axis moves blocks, one per place of `extent`. A reversal takes the axis as a whole.
Values rearranged(const Values& values, const std::vector<std::int64_t>& shape,
                  const std::vector<std::size_t>& axes, bool reversed, std::int64_t extent);

// The smallest extent of the axes in a case, if it divides all of their extents and is not 1. Otherwise 0.
std::int64_t common_extent(const Arrangement& arrangement, const Case& bound);

enum class Reordering {
  impossible,  // the extents of this case do not fit
  refuted,     // the oracle's answer changes
  idle,        // no order of a sum changes
  reordered
};

struct ReorderedError {
  Reordering what = Reordering::impossible;
  double error = 0;  // of the reference, if its sums were reordered
};

// A draw's inputs and answers without rearrangement. Inputs are in the order of Case::tensors, with empty
// entries for outputs.
struct PlainAnswers {
  const Draw& draw;
  const std::vector<Values>& inputs;
  const std::vector<Values>& oracle;
  const std::vector<Values>& reference;
  const ExpectedScales& scales;  // of the outputs
};

// Measures one arrangement on the runner's case. An Error if a call fails.
Result<ReorderedError> measure_reordered(ReferenceRunner& runner, const Case& bound,
                                         const Arrangement& arrangement, const PlainAnswers& plain);

// The orders of summation that a problem allows, found on its small cases and used on all.
class SummationOrders {
 public:
  explicit SummationOrders(const Problem& problem) : arrangements_(arrangements_of(problem)) {}

  // The reference's largest error on a draw of the runner's case, over its own order and other orders. With
  // `thorough` all arrangements are tried that have not been refuted, otherwise only arrangements that have
  // reordered a sum before. An Error if a call fails.
  Result<double> measure(ReferenceRunner& runner, const Case& bound, const Draw& draw, bool thorough,
                         const ExpectedScales& scales = {});

  // Names of the arrangements that have reordered a sum so far.
  const std::set<std::string>& reordered() const { return reordered_; }

 private:
  enum class State { unknown, refuted, reordering };

  std::vector<Arrangement> arrangements_;
  std::vector<State> states_ = std::vector<State>(arrangements_.size(), State::unknown);
  std::set<std::string> reordered_;
};

}  // namespace kgrade
