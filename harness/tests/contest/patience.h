// How long tests wait for a worker that answers at once on an idle machine.
#pragma once

#include "contest/contest.h"

namespace kgrade {

constexpr Patience ample_patience{60'000};

}  // namespace kgrade
