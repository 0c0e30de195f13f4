// Operands rounded as lower precisions store them.
#include "soundness/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kgrade::testing {
namespace {

TEST(Rounding, KeepsTheBitsOfEachFormat) {
  EXPECT_EQ(rounded(1 + 0x1p-10F, OperandFormat::tf32), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(1 + 0x1p-10F, OperandFormat::fp16), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(1 + 0x1p-7F, OperandFormat::bf16), 1 + 0x1p-7F);
  EXPECT_EQ(rounded(-3, OperandFormat::bf16), -3);
}

TEST(Rounding, GoesToTheNearestAndFromTheMiddleToTheEvenOne) {
  EXPECT_EQ(rounded(1 + 0x1p-11F, OperandFormat::tf32), 1);
  EXPECT_EQ(rounded(1 + 3 * 0x1p-11F, OperandFormat::tf32), 1 + 0x1p-9F);
  EXPECT_EQ(rounded(1 + 0x1p-11F + 0x1p-20F, OperandFormat::fp16), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(-1 - 0x1p-8F, OperandFormat::bf16), -1);
  EXPECT_EQ(rounded(2 - 0x1p-20F, OperandFormat::bf16), 2);
}

TEST(Rounding, HalvesHaveARangeAndSubnormals) {
  EXPECT_EQ(rounded(65504, OperandFormat::fp16), 65504);
  EXPECT_EQ(rounded(65519, OperandFormat::fp16), 65504);
  EXPECT_EQ(rounded(-65520, OperandFormat::fp16), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(rounded(1e6F, OperandFormat::bf16), 999424);
  EXPECT_EQ(rounded(0x1.8p-24F, OperandFormat::fp16), 0x1p-23F);
  EXPECT_EQ(rounded(0x1p-26F, OperandFormat::fp16), 0);
}

TEST(Rounding, LeavesWhatIsNotFinite) {
  for (const OperandFormat format : {OperandFormat::tf32, OperandFormat::fp16, OperandFormat::bf16}) {
    EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN(), format)));
    EXPECT_EQ(rounded(std::numeric_limits<float>::infinity(), format),
              std::numeric_limits<float>::infinity());
  }
}

}  // namespace
}  // namespace kgrade::testing
