// Describes a case to a contestant in Python: shapes, element types, scalars, and the arguments of the
// module.
#pragma once

#include <string>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

// JSON: {"shapes": {tensor: [extents]}, "types": {tensor: "float32"}, "dtype": the case's type, "scalars":
// {name: value}, "module": {"positional": [...], "keywords": {...}} or null, "number": N}. It names neither
// the case nor its role. `widened`: the tensors are lent as float32 whatever the case's type, as the oracle's
// are. `number` differs for each case of a process, because a module has other weights in each case, even if
// two cases are otherwise equal.
std::string case_description(const Problem& problem, const Case& bound, bool widened = false,
                             std::size_t number = 0);

}  // namespace kgrade
