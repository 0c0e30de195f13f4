// Finds what a case of a Python file asks for and no argument of a candidate tells.
#pragma once

#include <string>
#include <vector>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

// What a candidate gets in each call, besides the numbers of the case.
enum class Given {
  pointers,  // in CUDA C++: neither shapes nor types
  tensors,   // a function in Python
};

// Why no candidate of this kind can be right in all of these cases: a tensor has another type than the entry
// point, or a candidate gets the same in two cases, and the answer depends on more. Empty if there is no
// such reason, as in all problems with one case. `class ModelNew` always gets everything.
std::string untold(const Problem& problem, const std::vector<Case>& cases, Given given);

}  // namespace kgrade
