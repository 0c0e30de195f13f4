// Measures the time of work on the legacy default stream in the same way as the harness: with a cold L2.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "vendor/device.h"

namespace baseline {

class Stopwatch {
 public:
  Stopwatch() {
    int device = 0;
    int cache_bytes = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device);
    // The flush also keeps the device busy while the launches after it are queued.
    flushed_.reserve(2 * static_cast<std::size_t>(cache_bytes));
    cudaEventCreate(&start_);
    cudaEventCreate(&stop_);
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Milliseconds of one run; nothing if `run` returns false or the device reports an error.
  template <class Run>
  std::optional<float> time(const Run& run) {
    if (flushed_.data() != nullptr) cudaMemsetAsync(flushed_.data(), 0, flushed_.bytes());
    cudaEventRecord(start_);
    const bool queued = run();
    cudaEventRecord(stop_);
    const bool ran = ok(cudaEventSynchronize(stop_));
    float elapsed_ms = 0;
    const bool timed = ok(cudaEventElapsedTime(&elapsed_ms, start_, stop_));
    const bool healthy = ok(cudaGetLastError());
    if (!queued || !ran || !timed || !healthy) return std::nullopt;
    return elapsed_ms;
  }

  // The median of several runs.
  template <class Run>
  std::optional<float> median(const Run& run, int runs) {
    std::vector<float> times;
    for (int i = 0; i < runs; ++i) {
      const std::optional<float> one = time(run);
      if (!one) return std::nullopt;
      times.push_back(*one);
    }
    std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
    return times[static_cast<std::size_t>(runs / 2)];
  }

 private:
  DeviceMemory flushed_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace baseline
