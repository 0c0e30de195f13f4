// Before anything is compared: how long an empty kernel takes, and how much work makes a kernel as long as it
// is meant to be on this device.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "selftest/arms_arena.h"
#include "selftest/kernels.h"

namespace kgrade::selftest {

struct Calibration {
  Sizes sizes;
  std::int64_t length = 0;
  double ms = 0;             // that a launch takes; 0 where times are no speed
  double ms_per_length = 0;  // likewise
};

class Pilot {
 public:
  // Keeps references. `free_bytes`: of the device's memory.
  Pilot(ArmsArena& arena, const Problem& problem, std::uint64_t seed, std::uint64_t free_bytes)
      : arena_(arena), problem_(problem), seed_(seed), free_bytes_(free_bytes) {}

  // Times of an empty kernel. An Error when a call fails; so does the other one.
  Result<std::vector<double>> measure_floor();
  // A kernel that cannot be as short as it is meant to be gets the least work that it can have.
  Result<Calibration> calibrate(const Kernel& kernel);

 private:
  // Times of so many calls of two sides, by turns. Of the first calls of all none is kept.
  struct TwoTimes {
    std::vector<double> first;
    std::vector<double> second;
  };
  Result<TwoTimes> time(const Kernel& kernel, const Sizes& sizes, std::int64_t first, std::int64_t second,
                        int calls);
  Result<double> call(Role role);
  // One length by itself.
  Result<double> time_of(const Kernel& kernel, const Sizes& sizes, std::int64_t length);
  // Milliseconds for a unit of work, from a run that is long enough to tell.
  Result<double> guess_slope(const Kernel& kernel, const Sizes& sizes, double shortest_ms);
  Result<Calibration> refine(const Kernel& kernel, const Sizes& sizes, std::int64_t length, double slope);

  ArmsArena& arena_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::uint64_t free_bytes_;
  std::uint32_t draws_ = 0;
};

}  // namespace kgrade::selftest
