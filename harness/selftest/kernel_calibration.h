// Calibration before any comparison: how long an empty kernel takes on this device, and how much work each
// kernel needs to reach its target time.
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
  double ms = 0;             // of a launch; 0 if times do not measure speed
  double ms_per_length = 0;  // 0 if times do not measure speed
};

class KernelCalibrator {
 public:
  // Keeps references. `free_bytes` is the free memory of the device.
  KernelCalibrator(Arena& arena, const Problem& problem, std::uint64_t seed, std::uint64_t free_bytes)
      : arena_(arena), problem_(problem), seed_(seed), free_bytes_(free_bytes) {}

  // Times of an empty kernel. An Error if a call fails.
  Result<std::vector<double>> measure_floor();
  // Finds the length that meets the kernel's target. If even the least work takes longer, uses that. An Error
  // if a call fails.
  Result<KernelCalibration> calibrate(const Kernel& kernel);

 private:
  // The times of `calls` alternating calls of two sides. One warm-up call of each side is not included.
  struct TwoTimes {
    std::vector<double> first;
    std::vector<double> second;
  };
  Result<TwoTimes> time(const Kernel& kernel, const Sizes& sizes, std::int64_t first, std::int64_t second,
                        int calls);
  Result<double> call(Role role);
  // The median of a few calls with one length.
  Result<double> time_of(const Kernel& kernel, const Sizes& sizes, std::int64_t length);
  // Milliseconds per unit of work, from a run that is long enough to measure.
  Result<double> guess_slope(const Kernel& kernel, const Sizes& sizes, double shortest_ms);
  Result<KernelCalibration> refine(const Kernel& kernel, const Sizes& sizes, std::int64_t length,
                                   double slope);

  Arena& arena_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::uint64_t free_bytes_;
  std::uint32_t draws_ = 0;
  Case first_;  // the two cases stay while their buffers are lent
  Case second_;
};

}  // namespace kgrade::selftest
