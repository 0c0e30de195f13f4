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
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "contest/arena.h"
#include "record/verdict.h"
#include "verify/call_review.h"

namespace kgrade {

class UsualNorms {
 public:
  // Of how many calls of the oracle. None where every output is so large that they make no difference: errors
  // of single precision are far from the threshold, and only the smallest outputs cancel that well; those of
  // lower classes are a third of theirs, and the smallest outputs get more calls.
  static int draws_of(const Case& bound, Precision required);

  // Where they matter: calls of the oracle, which has its buffers, on contents used for no other call. What
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
