// Describes how an output is wrong: which elements were never written, which were added to old contents, what
// the wrong elements have in common, and a few examples.
#pragma once

#include <string>

#include "contest/contest.h"
#include "record/record.h"

namespace kgrade {

// An element is wrong if it is off by more than `limit`, in the units of device::own_unit_of(), or if only
// one of the two values is finite.
WrongOutput wrong_output(const OutputValues& values, double limit);

// Whether the error of an output is a bug in a few elements, and not a matter of precision: of the elements
// that differ at all, fewer than an eighth are off by more than `bound`, relative to their own size. If an
// answer misses its class by rounding, at least a third of them are. Elements that do not differ do not
// count, because most elements of a clamped output may be exact. False for outputs of 16 bits or fewer, whose
// own rounding may hide such changes.
bool is_in_few_elements(const OutputValues& values, double bound);

// "all never written; the last of each row", for a message that says how many elements are wrong. Empty if
// nothing is known.
std::string describe(const WrongOutput& wrong);

}  // namespace kgrade
