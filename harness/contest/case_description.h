// Describes a case to a contestant in Python: shapes, element types, scalars, and the arguments of the
// module.
#pragma once

#include <string>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

// JSON: {"shapes": {tensor: [extents]}, "types": {tensor: "float32"}, "dtype": the case's type, "scalars":
// {name: value}, "module": {"positional": [...], "keywords": {...}} or null}. It names neither the case nor
// its role. `widened`: the tensors are lent as float32 whatever the case's type, as to the oracle.
std::string case_description(const Problem& problem, const Case& bound, bool widened = false);

}  // namespace kgrade
