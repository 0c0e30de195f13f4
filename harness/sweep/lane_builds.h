// What a lane does that only builds.
#pragma once

#include <cstdint>

#include "device/registry.h"
#include "problem/problem.h"
#include "sweep/lane.h"

namespace kgrade {

// Puts the job's candidates into the cache, or, where it names none, what its problem is graded with: oracle,
// reference and baselines. Returns how many bytes the built libraries have; those that do not build have
// none.
std::uint64_t build_for(const LaneJob& job, const Problem& problem, const DeviceChoice& device);

}  // namespace kgrade
