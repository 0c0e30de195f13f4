// Thresholds in the text of a problem file.
#include <gtest/gtest.h>

#include "soundness/calibrate.h"

namespace kgrade::test {
namespace threshold_lines_test {

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

}  // namespace threshold_lines_test
}  // namespace kgrade::test
