// Operands rounded as lower precisions store them, whether precision classes can be told apart, and the
// thresholds between them.
#include "soundness/precision_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kgrade::test {
namespace precision_classes_test {

using ::testing::HasSubstr;

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

TEST(Classes, ThatOfUsualArithmeticSeparate) {
  EXPECT_FALSE(why_not_separate({2e-7, 3e-4, 3e-4, 2.4e-3}));
  EXPECT_FALSE(why_not_separate({0, 3e-4, 3e-4, 2.4e-3})) << "an exact reference";
}

TEST(Classes, NeighboursMustDifferByAFactorOfFour) {
  const auto near = why_not_separate({1e-4, 3.9e-4, 0, 1e-2});
  ASSERT_TRUE(near);
  EXPECT_THAT(near->message, HasSubstr("fp32 and tf32"));
  EXPECT_THAT(near->message, HasSubstr("1.0e-04 and 3.9e-04"));
  EXPECT_THAT(near->remedy, HasSubstr("uniform"));
  EXPECT_FALSE(why_not_separate({1e-4, 4.1e-4, 0, 1e-2}));
  const auto lower = why_not_separate({1e-7, 3e-4, 0, 1e-3});
  ASSERT_TRUE(lower);
  EXPECT_THAT(lower->message, HasSubstr("tf32 and bf16"));
}

TEST(Classes, OfManyCasesTheLargestAndTheUsualErrorAreKept) {
  ClassStatistics statistics;
  statistics.add(ClassErrors{1e-7, 1e-4, 1e-4, 3e-3});
  ClassStatistics more;
  more.add(ClassErrors{7e-7, 1e-4, 1e-4, 4e-3});
  statistics.add(more);
  EXPECT_EQ(statistics.count(), 2);
  EXPECT_EQ(statistics.largest().fp32, 7e-7);
  EXPECT_NEAR(statistics.root_mean_square().fp32, 5e-7, 1e-15);
  EXPECT_NEAR(statistics.root_mean_square().tf32, 1e-4, 1e-12);
  EXPECT_EQ(ClassStatistics().root_mean_square().bf16, 0);
}

TEST(Classes, ThatAreAllExactDoNotSeparate) {
  EXPECT_TRUE(why_not_separate({0, 0, 0, 0}));
  EXPECT_TRUE(why_not_separate({0, std::numeric_limits<double>::quiet_NaN(), 0, 1}));
}

TEST(Classes, ThresholdsLieInTheMiddle) {
  const Thresholds thresholds = thresholds_for({1e-7, 1e-3, 1e-3, 1e-2});
  EXPECT_NEAR(thresholds.fp32, 1e-5, 1e-12);
  EXPECT_NEAR(thresholds.tf32, 3.162e-3, 1e-6);
  EXPECT_NEAR(thresholds.bf16, 3.162e-2, 1e-5);
}

TEST(Classes, AnExactReferenceStillLeavesRoomForOtherFormulas) {
  EXPECT_GT(thresholds_for({0, 3e-4, 3e-4, 2e-3}).fp32, 1e-6);
}

}  // namespace precision_classes_test
}  // namespace kgrade::test
