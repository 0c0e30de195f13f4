// Describes how an output is wrong: which elements were never written, which were added to old contents, what
// the wrong elements have in common, and a few examples.
#pragma once

#include <string>

#include "contest/arena.h"
#include "record/record.h"

namespace kgrade {

// An element is wrong if it is off by more than `limit`, in the units of device::unit_of(), or if only one of
// the two values is finite.
WrongOutput wrong_output(const OutputValues& values, double limit);

// "all never written; the last of each row", for a message that says how many elements are wrong. Empty if
// nothing is known.
std::string describe(const WrongOutput& wrong);

}  // namespace kgrade
