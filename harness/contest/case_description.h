// What a contestant in Python is told of a case: shapes, element types, scalars, and how a module states it.
#pragma once

#include <string>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

// JSON: {"shapes": {tensor: [extents]}, "types": {tensor: "float32"}, "dtype": that of the case, "scalars":
// {name: value}, "module": {"positional": [...], "keywords": {...}} or null}. Neither the case's name nor its
// role. `widened`: the tensors are lent as float32 whatever the type of the case, as to the oracle.
std::string case_description(const Problem& problem, const Case& bound, bool widened = false);

}  // namespace kgrade
