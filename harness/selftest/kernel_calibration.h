// Before anything is compared: how long an empty kernel takes, and how much work a kernel needs to take its
// target time on this device.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "contest/arena.h"
#include "selftest/kernels.h"

namespace kgrade::selftest {

struct KernelCalibration {
  Sizes sizes;
  std::int64_t length = 0;
  double ms = 0;             // that a launch takes; 0 where times do not measure speed
  double ms_per_length = 0;  // likewise
};

class KernelCalibrator {
 public:
  // Keeps references. `free_bytes`: of the device's memory.
  KernelCalibrator(Arena& arena, const Problem& problem, std::uint64_t seed, std::uint64_t free_bytes)
      : arena_(arena), problem_(problem), seed_(seed), free_bytes_(free_bytes) {}

  // Times of an empty kernel. An Error when a call fails.
  Result<std::vector<double>> measure_floor();
  // A kernel that cannot be as short as its target gets the least work that it can have. An Error when a call
  // fails.
  Result<KernelCalibration> calibrate(const Kernel& kernel);

 private:
  // Times of so many calls of two sides in turn, after one call of each that is not kept.
  struct TwoTimes {
    std::vector<double> first;
    std::vector<double> second;
  };
  Result<TwoTimes> time(const Kernel& kernel, const Sizes& sizes, std::int64_t first, std::int64_t second,
                        int calls);
  Result<double> call(Role role);
  // The median of a few calls of one length.
  Result<double> time_of(const Kernel& kernel, const Sizes& sizes, std::int64_t length);
  // Milliseconds for a unit of work, from a run that is long enough to measure.
  Result<double> guess_slope(const Kernel& kernel, const Sizes& sizes, double shortest_ms);
  Result<KernelCalibration> refine(const Kernel& kernel, const Sizes& sizes, std::int64_t length,
                                   double slope);

  Arena& arena_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::uint64_t free_bytes_;
  std::uint32_t draws_ = 0;
  Case first_;  // while its buffers are lent, and likewise:
  Case second_;
};

}  // namespace kgrade::selftest
