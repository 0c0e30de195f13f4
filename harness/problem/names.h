// The names of a problem: legal, unique, and known wherever an expression uses them; internal to spec.
#pragma once

#include "problem/diagnostics.h"
#include "problem/problem.h"

namespace kgrade {

void check_names(const Problem& problem, Diagnostics& diagnostics);

}  // namespace kgrade
