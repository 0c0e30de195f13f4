// How an output is wrong: which elements were never written, which were added to what was there, what the
// wrong ones have in common, and a few of them.
#pragma once

#include <string>

#include "contest/arena.h"
#include "record/record.h"

namespace kgrade {

// Elements that are off by more than `limit` (in the units of device::unit_of()) are wrong, and those where
// just one of the two is finite.
WrongOutput wrong_output(const OutputValues& values, double limit);

// "all never written; the last of each row", for a message that says how many are wrong; empty: nothing is
// known.
std::string describe(const WrongOutput& wrong);

}  // namespace kgrade
