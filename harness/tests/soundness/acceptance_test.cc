// Outputs on the host are accepted as grading accepts them: each in its own type, and exactly where the
// problem says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "soundness/host_values.h"
#include "soundness/wrong_answers.h"

namespace kgrade::test {
namespace acceptance_test {

constexpr const char* text = R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [2, 3], init: "integers(0, 3)"}
  - {name: sum, type: "[VAR]", pointer: true, const: false, shape: [4]}
  - {name: wide, type: float, pointer: true, const: false, shape: [4]}
  - {name: count, type: int64_t, pointer: true, const: false, shape: [4]}
  - {name: moved, type: "[VAR]", pointer: true, const: false, shape: [4], compare: exact}
  - {name: largest, type: int, pointer: true, const: false, shape: [2], compare: "ties(x, 1)"}
  - {name: order, type: int, pointer: true, const: false, shape: [2, 3], compare: "ties(x, 1, distinct)"}
dtypes: [float32, float16]
cases:
  - {name: only, role: test}
---
text
)yaml";

enum Output : std::size_t { sum, wide, count, moved, largest, order };

class AcceptanceTest : public ::testing::Test {
 protected:
  bool accepts(Output output, const Values& answer, const Values& expected,
               const std::vector<Values>& inputs = {}) const {
    return Acceptance::in_lowest_class(problem_, case_).accepts(output, answer, expected, inputs);
  }

  Problem problem_ = *parse_problem(text, "sample.md");
  Case case_ = *resolve_case(problem_, problem_.cases[0]);
};

// As they are read from a tensor.
Values integers(const std::vector<std::int64_t>& all) {
  Values values;
  for (const std::int64_t value : all) values.push_back(static_cast<float>(value));
  values.integers = all;
  return values;
}

TEST_F(AcceptanceTest, OneIntegerThatIsOffIsWrongHoweverLargeItIs) {
  EXPECT_TRUE(accepts(sum, {1000000, 1000001, 3, 4}, {1000000, 1000000, 3, 4}));
  EXPECT_TRUE(accepts(count, {1000000, 1000001, 3, 4}, {1000000, 1000001, 3, 4}));
  EXPECT_FALSE(accepts(count, {1000000, 1000001, 3, 4}, {1000000, 1000000, 3, 4}));
}

TEST_F(AcceptanceTest, IntegersThatAFloatDoesNotHoldAreToldApart) {
  constexpr std::int64_t large = (std::int64_t{1} << 60) + 1;
  const Values expected = integers({large, large + 1, 5, 6});
  ASSERT_EQ(expected[0], expected[1]);
  EXPECT_TRUE(accepts(count, integers({large, large + 1, 5, 6}), expected));
  EXPECT_FALSE(accepts(count, integers({large, large, 5, 6}), expected));
  EXPECT_FALSE(accepts(count, {expected[0], expected[1], 5, 6}, expected)) << "made of floats";
  EXPECT_FALSE(is_constant(integers({large, large + 1})));
  EXPECT_TRUE(is_constant(integers({large, large})));
  EXPECT_NE(integers({large, large}), integers({large, large + 1}));
  const OutputForm form = Acceptance(problem_, case_).form(count, {});
  EXPECT_GT(compare_axis_means(integers({large, large + 9, large, large}), {4}, 0, form).max_abs_difference,
            0);
}

TEST_F(AcceptanceTest, WhatIsMadeForIntegersIsTheNearestOne) {
  const OutputForm form = Acceptance(problem_, case_).form(count, {});
  const auto off_by = [&](float made, std::int64_t expected) {
    return compare(Values{made}, integers({expected}), form).max_abs_difference;
  };
  EXPECT_EQ(off_by(2.6F, 3), 0);
  EXPECT_EQ(off_by(-2.6F, -3), 0);
  EXPECT_EQ(off_by(2.6F, 2), 1);
  EXPECT_EQ(off_by(1e30F, std::numeric_limits<std::int64_t>::max()), 0);
  EXPECT_GT(off_by(std::numeric_limits<float>::quiet_NaN(), 0), 0);
}

TEST_F(AcceptanceTest, FloatsThatAreComparedExactlyMayNotBeOff) {
  const float next = std::nextafter(1.0F, 2.0F);
  EXPECT_TRUE(accepts(sum, {next, 2, 3, 4}, {1, 2, 3, 4}));
  EXPECT_FALSE(accepts(moved, {next, 2, 3, 4}, {1, 2, 3, 4}));
  EXPECT_TRUE(accepts(moved, {1, 2, 3, 4}, {1, 2, 3, 4}));
  const Acceptance acceptance(problem_, case_);
  EXPECT_EQ(acceptance.threshold(moved), 0);
  EXPECT_EQ(acceptance.threshold(sum), problem_.thresholds.fp32);
}

TEST_F(AcceptanceTest, EachOutputIsRoundedToItsOwnType) {
  problem_ = *with_dtype(problem_, "float16");
  case_ = *resolve_case(problem_, problem_.cases[0]);
  const Acceptance acceptance(problem_, case_);
  EXPECT_EQ(acceptance.form(sum, {}).dtype, Dtype::float16);
  EXPECT_EQ(acceptance.form(wide, {}).dtype, Dtype::float32);
  EXPECT_EQ(acceptance.form(count, {}).dtype, Dtype::int64);
  const Values expected = {1.0001F, 2, 3, 4};
  const Values rounded = {1, 2, 3, 4};
  EXPECT_TRUE(acceptance.accepts(sum, rounded, expected, {})) << "the nearest number of float16";
  EXPECT_FALSE(acceptance.accepts(wide, rounded, expected, {}));
}

TEST_F(AcceptanceTest, AnIndexOfAnEqualElementIsAsGood) {
  const std::vector<Values> inputs = {{1, 3, 3, 2, 0, 2}, {}, {}, {}, {}, {}, {}};
  EXPECT_TRUE(accepts(largest, {1, 0}, {2, 2}, inputs));
  EXPECT_FALSE(accepts(largest, {0, 0}, {2, 2}, inputs)) << "1 is less than 3";
  EXPECT_FALSE(accepts(largest, {2, 3}, {2, 2}, inputs)) << "of another row";
  EXPECT_FALSE(accepts(largest, {1, 0}, {2, 2})) << "nothing is known of the input";
  constexpr std::int64_t large = std::int64_t{1} << 60;
  const std::vector<Values> alike = {integers({large, large + 1, large + 1, 2, 0, 2})};
  EXPECT_TRUE(accepts(largest, {1, 0}, {2, 2}, alike));
  EXPECT_FALSE(accepts(largest, {0, 0}, {2, 2}, alike)) << "the same float, and another integer";
}

// As an argsort has them, from the largest to the smallest.
TEST_F(AcceptanceTest, DistinctIndicesMayBeThoseOfEqualElementsInAnyOrderButNoneTwice) {
  const std::vector<Values> inputs = {{1, 3, 3, 2, 2, 2}, {}, {}, {}, {}, {}, {}};
  const Values expected = {1, 2, 0, 0, 1, 2};
  const auto wrong = [&](const Values& answer) {
    return compare(answer, expected, Acceptance(problem_, case_).form(order, inputs)).sum_squared_difference;
  };
  EXPECT_EQ(wrong({1, 2, 0, 0, 1, 2}), 0);
  EXPECT_EQ(wrong({2, 1, 0, 2, 0, 1}), 0);
  EXPECT_EQ(wrong({1, 1, 0, 0, 1, 2}), 1) << "twice, one as expected";
  EXPECT_EQ(wrong({2, 2, 0, 0, 1, 2}), 1) << "one is the expected one there";
  EXPECT_GT(wrong({1, 2, 0, 2, 2, 0}), 0) << "twice, none as expected";
  EXPECT_GT(wrong({0, 1, 2, 0, 1, 2}), 0) << "not in the order of values";
  EXPECT_TRUE(accepts(order, {2, 1, 0, 2, 0, 1}, expected, inputs));
  EXPECT_FALSE(accepts(order, {2, 2, 0, 2, 0, 1}, expected, inputs));
}

TEST_F(AcceptanceTest, TheErrorOfArithmeticIsThatOfOutputsByTheNorm) {
  const std::vector<Values> expected = {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4},
                                        {1, 2, 3, 4}, {0, 0},       {0, 1, 2, 0, 1, 2}};
  std::vector<Values> answer = expected;
  answer[count][0] = 5;
  answer[moved][0] = 7;
  EXPECT_EQ(rounding_error_of(answer, expected, case_), 0);
  EXPECT_GT(error_of(answer, expected, case_), 1);
  answer[wide][0] += 1e-3F;
  EXPECT_NEAR(rounding_error_of(answer, expected, case_), 1e-3 / 5.477, 1e-5);
}

std::vector<std::uint64_t> elements_of(const TensorSample& sample) {
  std::vector<std::uint64_t> elements;
  for (const std::uint64_t begin : sample.begins) {
    for (std::uint64_t i = 0; i < sample.run; ++i) elements.push_back(begin + i);
  }
  return elements;
}

std::uint64_t count_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                         [](std::uint64_t a, std::int64_t b) { return a * static_cast<std::uint64_t>(b); });
}

TEST(Sample, IsTheWholeOfASmallTensor) {
  const TensorSample sample = sample_of({3, 5}, 15);
  EXPECT_EQ(sample.shape, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(sample.begins, std::vector<std::uint64_t>{0});
  EXPECT_EQ(sample.run, 15U);
}

TEST(Sample, IsABoxOfDifferentElementsWithinTheTensor) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1'000'003},
                                                 {1024, 1024},
                                                 {3, 7, 100'003},
                                                 {700'001, 3},
                                                 {64, 32, 17, 31},
                                                 {1, 1, 999'999}}) {
    for (const std::uint64_t most : {std::uint64_t{16}, std::uint64_t{5000}, std::uint64_t{300'000}}) {
      const TensorSample sample = sample_of(shape, most);
      const std::vector<std::uint64_t> elements = elements_of(sample);
      EXPECT_LE(elements.size(), most);
      EXPECT_GE(elements.size(), most / 4);
      EXPECT_EQ(elements.size(), count_of(sample.shape));
      EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
      EXPECT_EQ(std::set<std::uint64_t>(elements.begin(), elements.end()).size(), elements.size());
      EXPECT_LT(elements.back(), count_of(shape));
      EXPECT_EQ(elements_of(sample_of(shape, most)), elements) << "always the same";
    }
  }
}

// Elements of one place of the sample's axis are of one place of the tensor's.
TEST(Sample, KeepsTheAxes) {
  const std::vector<std::int64_t> shape = {300, 40, 50};
  const TensorSample sample = sample_of(shape, 4096);
  const std::vector<std::uint64_t> elements = elements_of(sample);
  const auto inner = static_cast<std::size_t>(sample.shape[1] * sample.shape[2]);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(elements[i] / 2000, elements[i / inner * inner] / 2000);
    EXPECT_EQ(elements[i] % 2000, elements[i % inner] % 2000);
  }
}

TEST(Sample, IsSpreadOverTheWholeTensor) {
  const TensorSample sample = sample_of({1 << 24}, 1 << 16);
  EXPECT_LE(sample.begins.size(), 4096U) << "each is a read of its own";
  const std::vector<std::uint64_t> elements = elements_of(sample);
  for (std::uint64_t part = 0; part < 64; ++part) {
    EXPECT_TRUE(std::any_of(elements.begin(), elements.end(), [part](std::uint64_t i) {
      return i >> 18 == part;
    })) << part;
  }
}

}  // namespace acceptance_test
}  // namespace kgrade::test
