// The first reference of a problem: compiles, runs, and computes nothing yet.
#pragma once

#include <string>

#include "problem/problem.h"

namespace kgrade::authoring {

// reference/<slug>.cu: one kernel for each output, with a thread for each of its elements, that writes 0
// where the author's formula belongs. Every tensor must have a shape.
std::string reference_stub(const Problem& problem);

}  // namespace kgrade::authoring
