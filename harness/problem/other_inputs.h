// The option --inputs: replaces the distributions that a problem's file gives for its inputs. A problem whose
// inputs were replaced counts as a different problem, with a different slug and digest.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// An option "normal(0, 2)" is for all inputs that are drawn from uniform() or normal(). "x=normal(0, 2)" is
// for one input and takes precedence. An option may be any `init` that inputs of the element type can have,
// with numbers instead of parameters' names. The weights of a `Model` do not change. The resulting problem
// lists only the element types that can hold the new contents, and its hidden cases do not scale elements
// that depend on each other. An Error, without a place, for: an option that is not such an `init`; a matrix
// for an input that is not square; an input that does not exist, holds integers, or is computed from others;
// an input that is named twice; options that change nothing.
Result<Problem> with_inputs(Problem problem, const std::vector<std::string>& options);

}  // namespace kgrade
