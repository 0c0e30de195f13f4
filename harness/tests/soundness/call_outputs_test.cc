// Outputs of whole calls: codes are compared with the scales of their own call.
#include <gtest/gtest.h>

#include "soundness/reference_runner.h"

namespace kgrade::test {
namespace call_outputs_test {

constexpr const char* text = R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: a, type: float, pointer: true, const: true, shape: [2, 4], init: "normal(0, 1)"}
  - {name: scale, type: uint8_t, pointer: true, const: false, shape: [2, 2]}
  - {name: q, type: uint8_t, pointer: true, const: false, shape: [2, 2], compare: "quantised(a, e2m1, 2, scale, e8m0)"}
dtypes: [float32]
thresholds: {fp32: 0.12, tf32: 0.121, bf16: 0.122}
cases:
  - {name: only, role: test}
---
text
)yaml";

class CallsWithCodes : public ::testing::Test {
 protected:
  HostOutputs outputs(const Values& scales, const Values& codes) const {
    return {case_, {scales, codes}, {{1, -6, 0.5, 3, 2, 4, -1, 1.5}, {}, {}}};
  }

  Problem problem_ = *parse_problem(text, "sample.md");
  Case case_ = *resolve_case(problem_, problem_.cases[0]);
  Acceptance acceptance_{problem_, case_};
  HostOutputs expected_ = outputs({127, 127, 127, 127}, {0xF2, 0x51, 0x64, 0x3A});
};

// 2 and 4 are 1 and 2 of twice the scale.
TEST_F(CallsWithCodes, OtherScalesWithOtherCodesAreAsGood) {
  HostOutputs same = outputs({127, 127, 128, 127}, {0xF2, 0x51, 0x42, 0x3A});
  EXPECT_TRUE(accepts_all(acceptance_, same, expected_));
  EXPECT_EQ(error_of(same, expected_), 0);
  EXPECT_FALSE(same.equals(expected_)) << "these are other bytes";
}

TEST_F(CallsWithCodes, CodesAreWrongWithScalesThatAreNotTheirs) {
  HostOutputs scales_alone = outputs({127, 127, 128, 127}, {0xF2, 0x51, 0x64, 0x3A});
  EXPECT_FALSE(accepts_all(acceptance_, scales_alone, expected_));
  HostOutputs codes_alone = outputs({127, 127, 127, 127}, {0xF2, 0x51, 0x42, 0x3A});
  EXPECT_FALSE(accepts_all(acceptance_, codes_alone, expected_));
}

}  // namespace call_outputs_test
}  // namespace kgrade::test
