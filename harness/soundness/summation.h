// The reference's sums in other orders.
//
// The order of the terms is fixed in the reference's source. But where the operands of a sum are rearranged
// along the axis that is summed over, all of them alike, the sum stays the same and its terms come in another
// order: the channels of an image together with those of a filter, or a row from its last element to its
// first. Nothing has to declare that an arrangement leaves the problem as it is: the oracle, in double
// precision, has to give the answer of before, rearranged as well where the axis is one of the output's too.
// That it changes the order of a sum shows in the bits of the reference's answer. What both take for granted
// is that an order of summation is all that a rearrangement changes in single precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "soundness/subject.h"

namespace kgrade {

struct Arrangement {
  std::string name;       // "in_channels shuffled"
  bool reversed = false;  // else shuffled
  // Of each tensor, in the order of the parameters: the axes that are rearranged.
  std::vector<std::vector<std::size_t>> axes;
};

// Those that may leave a problem as it is, at most most_arrangements: the last axes of all tensors that have
// most of them reversed; axes that share a parameter shuffled together. The shapes must be known.
std::vector<Arrangement> arrangements_of(const Problem& problem);
inline constexpr std::size_t most_arrangements = 64;

// The values of a tensor of such a shape, with each of the axes rearranged: the same way in every tensor,
// axes of other extents block by block. Blocks have `extent` places; a reversal takes the axis as a whole.
Values rearranged(const Values& values, const std::vector<std::int64_t>& shape,
                  const std::vector<std::size_t>& axes, bool reversed, std::int64_t extent);

// What a case's smallest extent among the axes is, where it divides all others; 0 where it does not, or there
// is but one place.
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

// What a draw's inputs and answers are without rearranging; in the order of Case::tensors, empty for outputs,
// and outputs in order.
struct PlainAnswers {
  const Draw& draw;
  const std::vector<Values>& inputs;
  const std::vector<Values>& oracle;
  const std::vector<Values>& reference;
};

// The subject sits on the case. An Error when a call fails.
Result<ReorderedError> measure_reordered(Subject& subject, const Case& bound, const Arrangement& arrangement,
                                         const PlainAnswers& plain);

}  // namespace kgrade
