// How large the outputs of a case are on other contents. An error is told in units of the norm of the
// oracle's output, and that norm is nearly zero now and then where the output has few elements, or few that
// are independent: sums of products of either sign cancel. What an honest answer is off by does not cancel
// with it. So the error is told in units of the usual norm where that is larger: the root mean square, over
// `norm_draws` other contents, of the norms of the oracle's outputs.
//
// Of 10^6 draws of a 3 x 36 x 2 matrix product with inputs from uniform(0, 1) and weights from
// uniform(-1/6, 1/6), products of operands rounded to TF32 are off by more than 1e-3 of the output's own norm
// in 1.6 of a hundred, and of the usual one in 2 of a million.
#pragma once

#include <vector>

#include "contest/arena.h"
#include "verify/verdict.h"

namespace kgrade {

inline constexpr int norm_draws = 16;

class UsualNorms {
 public:
  // Where they could make a difference: errors of single precision are far from the threshold, and only the
  // smallest outputs cancel that well; those of lower classes are a third of theirs.
  static bool matter(const Case& bound, Precision required);

  // Of one call of the oracle: outputs that were held against themselves.
  void add(const std::vector<OutputComparison>& outputs);
  // The mean, over the calls, of the sum of squares of an output's elements; 0 where nothing is known.
  double squares(std::size_t output) const;

 private:
  std::vector<double> sums_;  // by output
  int calls_ = 0;
};

}  // namespace kgrade
