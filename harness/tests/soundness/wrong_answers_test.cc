// Wrong answers, what they are made from, and their comparison on the host.
#include "soundness/wrong_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "soundness/dependence.h"
#include "soundness/reference_runner.h"

namespace kgrade::test {
namespace wrong_answers_test {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(WrongAnswers, TheMeanIsThatOfFiniteValues) {
  EXPECT_EQ(mean_of(Values{1, 2, nan, 6}), 3);
  EXPECT_EQ(mean_of(Values{nan}), 0);
  EXPECT_EQ(mean_of({}), 0);
}

TEST(WrongAnswers, ShufflingKeepsTheElementsAndMovesThem) {
  const Values values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(shuffled(values, 1), UnorderedElementsAreArray(values));
  EXPECT_NE(shuffled(values, 1), values);
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_THAT(shuffled({1, 2}, seed), ElementsAre(2, 1));
}

// The squared distances from the means.
double off_axis_means(const Values& values, const std::vector<std::int64_t>& shape, std::size_t axis) {
  const ElementErrors errors = compare_axis_means(values, shape, axis);
  EXPECT_EQ(errors.compared, values.size());
  return errors.sum_squared_difference;
}

TEST(WrongAnswers, MeansAlongEachAxis) {
  const Values values = {0, 2, 4, 6, 8, 10};
  EXPECT_EQ(off_axis_means(values, {2, 3}, 0), 6 * 9);
  EXPECT_EQ(off_axis_means(values, {2, 3}, 1), 4 * 4);
  EXPECT_EQ(off_axis_means(values, {1, 2, 3}, 0), 0);
  EXPECT_EQ(compare_axis_means(values, {2, 3}, 0).sum_squared_expected, 220);
}

TEST(WrongAnswers, MeansOfLargeOutputsAreTakenInParts) {
  const std::size_t wide = slice_elements + 3;
  Values values(2 * wide, 1.0F);
  values[wide - 1] = 5;  // and 1 below it: off by 2 each
  EXPECT_EQ(off_axis_means(values, {2, static_cast<std::int64_t>(wide)}, 0), 8);
  Values columns(3 * (slice_elements / 2), 1.0F);
  columns[7] = 4;  // in a row of three: off by 2, 1 and 1
  EXPECT_EQ(off_axis_means(columns, {static_cast<std::int64_t>(slice_elements / 2), 3}, 1), 6);
  Values line(slice_elements + 2, 0.0F);
  line.back() = 1;
  EXPECT_NEAR(off_axis_means(line, {static_cast<std::int64_t>(line.size())}, 0), 1, 1e-5);
}

TEST(WrongAnswers, WhatIsMadeInSlicesIsComparedAsAWhole) {
  Values expected(2 * slice_elements + 5);
  std::iota(expected.begin(), expected.end(), 0.0F);
  std::size_t next = 0;
  const SliceMaker make = [&](std::size_t first, std::span<float> slice) {
    EXPECT_EQ(first, next);
    EXPECT_LE(slice.size(), slice_elements);
    next = first + slice.size();
    for (std::size_t i = 0; i < slice.size(); ++i)
      slice[i] = expected[first + i] + (first + i == 8388609 ? 3 : 0);
  };
  const ElementErrors errors = compare_made(make, expected);
  EXPECT_EQ(next, expected.size());
  EXPECT_EQ(errors.compared, expected.size());
  EXPECT_EQ(errors.sum_squared_difference, 9);
  EXPECT_EQ(errors.worst_index, 8388609U);
}

TEST(WrongAnswers, ASampleHasHalfOfTheElements) {
  Values values(1000);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto mean = static_cast<float>(mean_of(values));
  const auto sampled = [&](std::uint64_t seed) {
    Values result = values;
    HalfReplacedByMean half(seed);
    half(result);
    return result;
  };
  const Values replaced = sampled(3);
  EXPECT_EQ(std::count(replaced.begin(), replaced.end(), mean), 500);
  for (std::size_t i = 0; i < replaced.size(); i += 2)
    EXPECT_EQ(replaced[i] == mean, replaced[i + 1] != mean) << "one of two neighbours, element " << i;
  EXPECT_NE(sampled(4), replaced);
}

TEST(WrongAnswers, FlippingGoesFarAndStaysWithinTheDistribution) {
  const ResolvedInit uniform{ResolvedInit::Kind::uniform, -1, 1};
  EXPECT_EQ(flipped(0.25F, uniform), -1);
  EXPECT_GT(flipped(-0.25F, uniform), 0.99F);
  EXPECT_LT(flipped(-0.25F, uniform), 1);
  EXPECT_EQ(flipped(-0.5F, {ResolvedInit::Kind::normal, 1, 2}), 7);
  EXPECT_EQ(flipped(5, {ResolvedInit::Kind::integers, 0, 5}), 0);
  EXPECT_EQ(flipped(3, {ResolvedInit::Kind::integers, 0, 5}), 5);
  EXPECT_EQ(flipped(1, {ResolvedInit::Kind::constant, 1, 0}), 2);
}

TEST(WrongAnswers, ComparesAsTheRefereeDoes) {
  const ElementErrors errors = compare(Values{1, 2, nan, 4}, Values{1, 4, nan, nan});
  EXPECT_EQ(errors.compared, 2U);
  EXPECT_EQ(errors.sum_squared_difference, 4);
  EXPECT_EQ(errors.sum_squared_expected, 17);
  EXPECT_EQ(errors.worst_index, 1U);
  EXPECT_EQ(errors.nonfinite_mismatches, 1U);
  EXPECT_EQ(errors.first_nonfinite_mismatch, 3U);
}

TEST(WrongAnswers, LargeOutputsAreComparedInFull) {
  Values expected((std::size_t{1} << 22) + 5, 1.0F);
  Values actual = expected;
  for (const std::size_t i : {std::size_t{0}, expected.size() / 2, expected.size() - 1}) actual[i] = 3;
  const ElementErrors errors = compare(actual, expected);
  EXPECT_EQ(errors.compared, expected.size());
  EXPECT_EQ(errors.sum_squared_difference, 12);
  EXPECT_EQ(errors.worst_index, 0U);
}

// Outputs of whole calls: codes are compared with the scales of their own call.
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

}  // namespace wrong_answers_test
}  // namespace kgrade::test
