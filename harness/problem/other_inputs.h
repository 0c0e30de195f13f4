// Other contents for the inputs of a problem than its file says: what --inputs asks for. A problem with
// others is another contest: it has another slug and another digest.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// Each of `options` is an `init`, as in "normal(0, 2)", for all inputs that are drawn from uniform() or
// normal(), or "x=normal(0, 2)" for one input, which counts more. Weights of a `Model` keep what it makes of
// them. Element types that the new contents cannot have are not listed any more. An Error, without a place,
// for what is no `init`, an input that there is not or whose contents follow from others, one that is named
// twice, and options that change nothing.
Result<Problem> with_inputs(Problem problem, const std::vector<std::string>& options);

}  // namespace kgrade
