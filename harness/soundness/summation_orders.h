// The reference's sums in other orders.
//
// The order of the terms is fixed in the reference's source. But where the operands of a sum are rearranged
// along the axis that is summed over, all of them alike, the sum stays the same and its terms come in another
// order: the channels of an image together with those of a filter, or a row from its last element to its
// first. No declaration says which rearrangements leave the problem as it is: the oracle, in double
// precision, must give the same answer as before, rearranged where the axis is one of the output's too.
// Changed bits in the reference's answer show that the order of a sum has changed. Both tests assume that in
// single precision a rearrangement changes nothing but the order of summation.
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
  // Of each tensor, in the order of the parameters: the axes that are rearranged.
  std::vector<std::vector<std::size_t>> axes;
};

// Those that may leave a problem as it is, at most most_arrangements: the last axes reversed in all tensors
// of the highest rank; axes that share a parameter shuffled together. The shapes must be known.
std::vector<Arrangement> arrangements_of(const Problem& problem);
inline constexpr std::size_t most_arrangements = 64;

// The values of a tensor of such a shape, with each of the axes rearranged: the same way in every tensor,
// axes of other extents block by block. Blocks have `extent` places; a reversal takes the axis as a whole.
Values rearranged(const Values& values, const std::vector<std::int64_t>& shape,
                  const std::vector<std::size_t>& axes, bool reversed, std::int64_t extent);

// The smallest extent of a case among the axes, where it divides all others; 0 where it does not, or is 1.
std::int64_t common_extent(const Arrangement& arrangement, const Case& bound);

enum class Reordering {
  impossible,  // on this case: extents do not fit
  refuted,     // the oracle's answer is another one
  idle,        // no sum has another order
  reordered
};

struct ReorderedError {
  Reordering what = Reordering::impossible;
  double error = 0;  // of the reference, when its sums were reordered
};

// A draw's inputs and answers without rearrangement: inputs in the order of Case::tensors, empty for outputs,
// and outputs in order.
struct PlainAnswers {
  const Draw& draw;
  const std::vector<Values>& inputs;
  const std::vector<Values>& oracle;
  const std::vector<Values>& reference;
};

// On the runner's case. An Error when a call fails.
Result<ReorderedError> measure_reordered(ReferenceRunner& runner, const Case& bound,
                                         const Arrangement& arrangement, const PlainAnswers& plain);

// The orders of summation that a problem allows, found on its small cases and used on all.
class SummationOrders {
 public:
  explicit SummationOrders(const Problem& problem) : arrangements_(arrangements_of(problem)) {}

  // The reference's largest error on a draw, its own order of summation included, on the runner's case. With
  // `thorough` every arrangement is tried that has not been refuted yet, otherwise only those that have
  // reordered a sum before. An Error when a call fails.
  Result<double> measure(ReferenceRunner& runner, const Case& bound, const Draw& draw, bool thorough);

  // Names of the arrangements that have reordered a sum so far.
  const std::set<std::string>& reordered() const { return reordered_; }

 private:
  enum class State { unknown, refuted, reordering };
  bool is_tried(std::size_t arrangement, bool thorough) const;

  std::vector<Arrangement> arrangements_;
  std::vector<State> states_ = std::vector<State>(arrangements_.size(), State::unknown);
  std::set<std::string> reordered_;
};

}  // namespace kgrade
