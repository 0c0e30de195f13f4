// Operands rounded as lower precisions store them, whether precision classes can be told apart, and the
// thresholds between them.
#include "soundness/precision_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "soundness/calibrate.h"

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

// Thresholds in the text of a problem file.
const Thresholds measured{4.86e-6, 8.5e-4, 6.7e-3};
const std::string line = "thresholds: {fp32: 4.9e-06, tf32: 8.5e-04, bf16: 6.7e-03}";

std::string written(const std::string& content) {
  const auto text = with_thresholds(content, {.common = {{Dtype::float32, measured}}}, "today");
  return text ? *text : "error: " + text.error().message;
}

TEST(ThresholdLines, ComeBelowThePrecision) {
  EXPECT_EQ(
      written("---\nslug: a\nprecision: fp32\nlet: {}\n---\nthresholds: no key\n"),
      "---\nslug: a\nprecision: fp32\n" + line + "\n# calibrated: today\nlet: {}\n---\nthresholds: no key\n");
}

TEST(ThresholdLines, ComeAtTheEndWithoutAPrecision) {
  EXPECT_EQ(written("---\nslug: a\n---\ntext"), "---\nslug: a\n" + line + "\n# calibrated: today\n---\ntext");
}

TEST(ThresholdLines, ReplaceThoseThatAreThereInAnyForm) {
  const std::string expected = "---\n# first\n" + line + "\n# calibrated: today\n\ncases:\n---\n";
  for (const std::string old : {"thresholds: {fp32: 1e-5}\n", "thresholds:\n  fp32: 1e-5\n\n  bf16: 1\n",
                                "thresholds: {fp32: 1e-5,\n  tf32: 1e-3\n}\n",
                                "\"thresholds\" : {fp32: 1e-5}\n# calibrated: long ago\n"}) {
    EXPECT_EQ(written("---\n# first\n" + old + "\ncases:\n---\n"), expected) << old;
  }
}

TEST(ThresholdLines, ACommentBehindThemStays) {
  EXPECT_EQ(written("---\nthresholds: {fp32: 1e-5}   # loose\n---\n"),
            "---\n" + line + "  # loose\n# calibrated: today\n---\n");
}

TEST(ThresholdLines, LineEndsOfTheFileStay) {
  EXPECT_EQ(written("---\r\nslug: a\r\n---\r\n"),
            "---\r\nslug: a\r\n" + line + "\r\n# calibrated: today\r\n---\r\n");
}

TEST(ThresholdLines, WritingTwiceChangesNothingMore) {
  const std::string once = written("---\nprecision: fp32\n---\n");
  EXPECT_EQ(written(once), once);
}

TEST(ThresholdLines, AFileWithoutFrontmatterIsRefused) {
  EXPECT_EQ(written("slug: a\n"), "error: there is no frontmatter");
  EXPECT_EQ(written("---\nslug: a\n"), "error: there is no frontmatter");
}

TEST(ThresholdLines, OtherKeysAreNotLost) {
  for (const std::string old : {"thresholds: {fp32: 1e-5, half: {fp32: 1e-3}}\n",
                                "thresholds:\n  fp32: 1e-5 # not: this\n  half: {fp32: 1e-3}\n"}) {
    EXPECT_EQ(written("---\n" + old + "---\n"), "error: 'thresholds' holds 'half' too, which would be lost");
  }
}

TEST(ThresholdLines, OtherTypesStandBelowTheirNames) {
  Thresholds narrow = default_thresholds(Dtype::float16);
  narrow.fp32 = 2e-5;
  const std::string old = "---\nthresholds: {fp32: 1e-5, float16: {fp32: 1e-3}}\n---\n";
  const auto both =
      with_thresholds(old, {.common = {{Dtype::float32, measured}, {Dtype::float16, narrow}}}, "today");
  ASSERT_TRUE(both);
  EXPECT_EQ(*both,
            "---\nthresholds: {fp32: 4.9e-06, tf32: 8.5e-04, bf16: 6.7e-03, float16: {fp32: 2.0e-05}}\n"
            "# calibrated: today\n---\n");
  narrow.bf16 = 0.02;
  EXPECT_EQ(thresholds_text({.common = {{Dtype::float16, narrow}}}),
            "{float16: {fp32: 2.0e-05, bf16: 2.0e-02}}");
  EXPECT_EQ(written(old), "error: 'thresholds' holds 'float16' too, which would be lost");
}

TEST(ThresholdLines, OutputsWithTheirOwnStandBelowTheirNames) {
  const std::string old = "---\nthresholds: {fp32: 1e-5, loss: {fp32: 1e-3}}\n---\n";
  const auto text = with_thresholds(
      old,
      {.common = {{Dtype::float32, measured}}, .outputs = {{"loss", {{Dtype::float32, {1e-6, 2e-4, 3e-3}}}}}},
      "today");
  ASSERT_TRUE(text);
  EXPECT_EQ(
      *text,
      "---\nthresholds: {fp32: 4.9e-06, tf32: 8.5e-04, bf16: 6.7e-03, loss: {fp32: 1.0e-06, tf32: 2.0e-04, "
      "bf16: 3.0e-03}}\n# calibrated: today\n---\n");
  EXPECT_EQ(written(old), "error: 'thresholds' holds 'loss' too, which would be lost");
}

TEST(ThresholdLines, WithoutLowerClassesThereIsOneThreshold) {
  EXPECT_EQ(thresholds_text({.common = {{Dtype::float32, measured}}, .only_fp32 = true}),
            "{fp32: 4.9e-06, tf32: 8.5e-04, bf16: 6.7e-03}")
      << "a class that differs from its default is kept";
  Thresholds usual;
  usual.fp32 = 2e-6;
  EXPECT_EQ(thresholds_text({.common = {{Dtype::float32, usual}}, .only_fp32 = true}), "{fp32: 2.0e-06}");
}

TEST(ThresholdLines, AreRoundedAsTheyAreWritten) {
  const Thresholds rounded = with_two_digits(measured);
  EXPECT_EQ(rounded.fp32, 4.9e-6);
  EXPECT_EQ(rounded.bf16, 6.7e-3);
}

}  // namespace precision_classes_test
}  // namespace kgrade::test
