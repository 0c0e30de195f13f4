// Evaluates the `init` of a tensor for one case. An `init` may contain expressions, such as the ends of
// integers or a fan-in, whose values depend on the case. The result is a distribution with numbers only.
#pragma once

#include "problem/case_evaluation.h"

namespace kgrade {

// Sets `tensor.init`, except its scaling. The tensor of the parameter must have its shape. If the case has no
// such distribution, adds an error to `evaluation` and returns false.
bool resolve_init(CaseEvaluation& evaluation, const Init& init, const Parameter& parameter, Tensor& tensor);

}  // namespace kgrade
