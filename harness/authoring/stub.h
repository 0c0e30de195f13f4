// The first reference of a new problem. It compiles and runs, but computes nothing yet.
#pragma once

#include <string>

#include "problem/problem.h"

namespace kgrade::authoring {

// The text of reference/<slug>.cu: one kernel for each output, with one thread for each element. Each kernel
// writes 0 where the author has to put the formula. Every tensor must have a shape.
std::string reference_stub(const Problem& problem);

}  // namespace kgrade::authoring
