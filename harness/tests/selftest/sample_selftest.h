// Records of self-tests with figures that a test knows.
#pragma once

#include "selftest/selftest_record.h"

namespace kgrade::test {

inline SelftestComparison comparison_of(std::size_t kernel, double asked, double low, double ratio,
                                        double high) {
  SelftestComparison comparison;
  comparison.kernel = kernel;
  comparison.asked = asked;
  comparison.added = asked;
  comparison.length = 100;
  comparison.second_length = 100;
  comparison.ratio = SpeedRatio{ratio, Interval{low, high}, Method::within_process, 10};
  const double ms = kernel == 0 ? 0.005 : 0.020;
  comparison.first = summarise({ms, ms, ms});
  comparison.second = comparison.first;
  comparison.blocks = 10;
  comparison.end = BlockEnd::precise;
  comparison.seconds = 0.25;
  return comparison;
}

inline SelftestComparison usual(std::size_t kernel) { return comparison_of(kernel, 0, 0.998, 1.001, 1.004); }

// Two kernels, of 5 and of 20 us, without comparisons yet.
inline SelftestRecord blank_selftest() {
  SelftestRecord record;
  record.tool.version = "0.1.0";
  record.started_at = "2026-01-02T03:04:05Z";
  record.host = {"Linux", "6.1", "x86_64", "some <processor>", 8, 1024};
  record.device.kind = "cuda";
  record.device.name = "A <GPU>";
  record.device.measures_speed = true;
  record.sandbox.confined = true;
  record.toolchain = "nvcc 13";
  record.seed = 18446744073709551615u;
  record.goal = {0.005, 6, 1};
  record.floor.empty_ms = {0.0027, 0.002732, 0.0027, 0.002796};
  SelftestKernel kernel;
  kernel.name = "arithmetic-5us";
  kernel.bound_by = "arithmetic";
  kernel.target_ms = 0.005;
  kernel.length = 100;
  kernel.pilot_ms = 0.005;
  record.kernels.push_back(kernel);
  kernel.name = "read-20us";
  kernel.bound_by = "memory";
  kernel.target_ms = 0.020;
  record.kernels.push_back(kernel);
  return record;
}

}  // namespace kgrade::test
