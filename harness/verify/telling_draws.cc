#include "verify/telling_draws.h"

#include "draw/input_families.h"
#include "verify/judgement.h"

namespace kgrade {

bool is_made_constant(const ExpectedScales& varied, const ExpectedScales& own, std::size_t output) {
  return varied.is_constant(output) && !own.is_constant(output);
}

std::vector<Draw> draws_that_decide(const Problem& problem, const Case& bound, const Draw& draw,
                                    const ExpectedScales& varied, const ExpectedScales& own) {
  bool is_constant = draw.family != 0;
  for (std::size_t i = 0; i < bound.outputs().size(); ++i)
    is_constant = is_constant && is_made_constant(varied, own, i);
  const bool is_rounded = !is_constant && !problem.compares_exactly();
  return rounded_draws(bound, draw, is_rounded ? rounded_bits(precision_from(problem.precision)) : 0);
}

}  // namespace kgrade
