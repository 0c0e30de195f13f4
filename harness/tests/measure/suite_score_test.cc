#include <gtest/gtest.h>

#include <cmath>

#include "measure/speedup.h"

namespace kgrade::suite_score_test {

SpeedRatio ratio_with(double ratio, double factor) {
  return {.ratio = ratio, .interval = Interval{ratio / factor, ratio * factor}, .count = 30};
}

TEST(SuiteScore, HalfWidthsAddInQuadrature) {
  const SuiteScore score = suite_score({ratio_with(2, std::exp(0.03)), ratio_with(8, std::exp(0.04))});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 4);
  EXPECT_EQ(score.count, 2u);
  ASSERT_TRUE(score.interval);
  EXPECT_NEAR(score.interval->low, 4 * std::exp(-0.025), 1e-14);
  EXPECT_NEAR(score.interval->high, 4 * std::exp(0.025), 1e-14);
}

TEST(SuiteScore, OfOneProblemIsItsRatio) {
  const SuiteScore score = suite_score({ratio_with(1.5, 1.01)});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 1.5);
  EXPECT_NEAR(score.interval->low, 1.5 / 1.01, 1e-14);
  EXPECT_NEAR(score.interval->high, 1.5 * 1.01, 1e-14);
}

TEST(SuiteScore, ExchangingTheSidesInvertsIt) {
  const SuiteScore there = suite_score({ratio_with(2, 1.02), ratio_with(0.7, 1.1), ratio_with(3, 1.005)});
  const SuiteScore back =
      suite_score({ratio_with(1 / 2.0, 1.02), ratio_with(1 / 0.7, 1.1), ratio_with(1 / 3.0, 1.005)});
  EXPECT_NEAR(there.geometric_mean * back.geometric_mean, 1, 1e-14);
  EXPECT_NEAR(there.interval->low * back.interval->high, 1, 1e-14);
}

TEST(SuiteScore, OneRatioWithoutAnIntervalLeavesNone) {
  const SuiteScore score = suite_score({ratio_with(2, 1.01), SpeedRatio{.ratio = 8, .count = 3}});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 4);
  EXPECT_FALSE(score.interval);
}

TEST(SuiteScore, OfNothing) {
  const SuiteScore score = suite_score({});
  EXPECT_EQ(score.geometric_mean, 0);
  EXPECT_EQ(score.count, 0u);
  EXPECT_FALSE(score.interval);
}

TEST(FastP, CountsCorrectAnswersAboveP) {
  const std::vector<std::optional<double>> speedups = {0.5, 1.0, 1.5, 2.5, std::nullopt};
  EXPECT_DOUBLE_EQ(fast_p(speedups, 0), 0.8);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 1), 0.4);  // above, not at
  EXPECT_DOUBLE_EQ(fast_p(speedups, 2), 0.2);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 3), 0);
  EXPECT_DOUBLE_EQ(fast_p({}, 1), 0);
  EXPECT_DOUBLE_EQ(fast_p({std::nullopt}, 0), 0);
}

// As if the first stood there three times.
TEST(SuiteScore, WeightsCountLikeRepetitions) {
  SpeedRatio heavy = ratio_with(2, std::exp(0.03));
  heavy.weight = 3;
  const SuiteScore score = suite_score({heavy, ratio_with(32, std::exp(0.04))});
  EXPECT_NEAR(score.geometric_mean, 4, 1e-12);
  // (3 * 0.03)^2 + 0.04^2 under the root, over 4.
  EXPECT_NEAR(std::log(score.interval->high / 4), std::sqrt(0.09 * 0.09 + 0.04 * 0.04) / 4, 1e-12);
}

TEST(SuiteScore, CasesCountByTheirWeights) {
  CaseRecord light;
  light.speedups = {{"reference", ratio_with(0.5, 1.01)}};
  CaseRecord heavy = light;
  heavy.weight = 3;
  heavy.speedups.front().ratio.ratio = 8;
  const std::vector<Score> scores = scores_of({light, heavy});
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_NEAR(scores.front().speedup.geometric_mean, 4, 1e-12);
  EXPECT_EQ(scores.front().fast.at(1), 0.75);
}

CandidateRecord compared(Precision precision, bool with_baseline) {
  CandidateRecord candidate;
  candidate.precision = precision;
  candidate.scores.push_back({"reference", {3, std::nullopt, 1}});
  if (with_baseline) candidate.scores.push_back({"baseline", {0.7, std::nullopt, 1}});
  candidate.by_baseline.push_back({"cudnn-fp32", {2, std::nullopt, 1}});
  return candidate;
}

TEST(SpeedupsOfAClass, AReferenceOfABetterClassDoesNotCount) {
  CandidateRecord candidate = compared(Precision::tf32, false);
  keep_to_class(candidate, Precision::fp32);
  EXPECT_EQ(candidate.headline(), nullptr);
  ASSERT_EQ(candidate.by_baseline.size(), 2U);
  EXPECT_EQ(candidate.by_baseline.back().against, "reference");
  EXPECT_EQ(candidate.by_baseline.back().speedup.geometric_mean, 3);
  ASSERT_EQ(candidate.notes.size(), 1U);
  EXPECT_NE(candidate.notes.front().find("the answers are of class tf32, the reference is of class fp32"),
            std::string::npos);
}

TEST(SpeedupsOfAClass, TheBaselineOfTheClassCounts) {
  CandidateRecord candidate = compared(Precision::tf32, true);
  keep_to_class(candidate, Precision::fp32);
  ASSERT_EQ(candidate.scores.size(), 1U);
  EXPECT_EQ(candidate.headline()->against, "baseline");
  EXPECT_TRUE(candidate.notes.empty());
}

TEST(SpeedupsOfAClass, AnswersAsPreciseAsTheReferenceOrMoreAreComparedWithIt) {
  for (const auto& [own, reference] :
       {std::pair{Precision::fp32, Precision::fp32}, std::pair{Precision::fp32, Precision::tf32},
        std::pair{Precision::tf32, Precision::tf32}, std::pair{Precision::exact, Precision::exact}}) {
    CandidateRecord candidate = compared(own, false);
    keep_to_class(candidate, reference);
    ASSERT_NE(candidate.headline(), nullptr);
    EXPECT_EQ(candidate.headline()->against, "reference");
    EXPECT_TRUE(candidate.notes.empty());
  }
}

}  // namespace kgrade::suite_score_test
