// Other contents for the inputs of a problem than its file says: what --inputs asks for. A problem with
// others is another contest: it has another slug and another digest.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// Each of `options` is an `init`, as in "normal(0, 2)", for all inputs that are drawn from uniform() or
// normal(), or "x=normal(0, 2)" for one input, which counts more. Every form is taken that inputs of the
// element type can have, with numbers in the place of parameters' names. Weights of a `Model` keep what it
// makes of them. Element types that the new contents cannot have are not listed any more, and hidden cases do
// not scale elements that depend on each other. An Error, without a place, for what is no such `init`,
// matrices where an input has none that are square, an input that there is not, holds integers, or follows
// from others, one that is named twice, and options that change nothing.
Result<Problem> with_inputs(Problem problem, const std::vector<std::string>& options);

}  // namespace kgrade
