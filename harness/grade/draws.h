// Which contents each round of a case has. No two rounds have the same. Most are new throughout; in the first
// two rounds after the warm-up, and in two of every eight from then on, a coin decides which one differs from
// the round before in a few elements only: in the largest input the first time, in others later.
#pragma once

#include <cstdint>

#include "contest/lease.h"

namespace kgrade {

// Round 0 warms up, and is new like any first one.
Draw draw_of_round(std::uint64_t seed, int round);

// True when the round differs from the one before in a few elements only.
inline bool is_small_change(const Draw& draw) { return draw.change != 0; }

}  // namespace kgrade
