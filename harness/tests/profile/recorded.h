// What Nsight Compute 2025.3.1 printed on an H100 for harness/tests/fixtures/profile/kernels.cu, without the
// columns that nothing here reads.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "profile/kernel_profile.h"
#include "profile/ncu_report.h"

namespace kgrade::test {

inline const std::string profile_fixtures =
    std::string(KGRADE_SOURCE_DIR) + "/harness/tests/fixtures/profile/";

inline std::string recorded(const std::string& name) {
  const auto text = read_text_file(profile_fixtures + name);
  EXPECT_TRUE(text.ok()) << name;
  return text ? *text : "";
}

// The launch of the kernel of this name, the first of them.
inline KernelProfile recorded_kernel(const std::string& name) {
  for (KernelProfile& kernel : parse_raw_page(recorded("ncu_raw.csv")).launches) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

}  // namespace kgrade::test
