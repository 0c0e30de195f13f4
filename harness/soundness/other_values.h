// Other values of scalar parameters that no shape depends on: what a parameter is for shows in the output
// alone.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "problem/case.h"

namespace kgrade {

// Real parameters, and integers that no shape depends on, neither by itself nor through `let`.
std::set<std::string> scalars_without_shape(const Problem& problem);

// The case with other values of one of them, the likeliest to make a difference first, and at most so many.
// All else, the tensors and what they are drawn from included, is as it was. Values of an integer are those
// of other cases, the ends of its range in `fuzz` and neighbours, as far as the case stays legal and keeps
// its shapes: there may be none.
std::vector<Case> with_other_values(const Problem& problem, const Case& bound, const std::string& scalar,
                                    std::size_t most);

}  // namespace kgrade
