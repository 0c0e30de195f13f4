#include "verify/wrong_output.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace kgrade::wrong_output_test {

using testing::HasSubstr;

constexpr double limit = 1e-3;

// A right output of this shape: no two elements are alike, and none is a multiple of its neighbour.
OutputValues right(std::vector<std::int64_t> shape) {
  OutputValues values;
  values.tensor = "out";
  values.shape = std::move(shape);
  const auto elements = static_cast<std::size_t>(std::accumulate(
      values.shape.begin(), values.shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>()));
  for (std::size_t i = 0; i < elements; ++i) {
    values.expected.push_back(std::sin(1.7f * static_cast<float>(i) + 0.3f));
    values.filled.push_back(1 + static_cast<float>(i % 5) / 8);
  }
  values.got = values.expected;
  values.again = values.expected;
  values.untouched.assign(elements, false);
  return values;
}

// What the kernel gives wherever `is_wrong` is true, in both calls.
void spoil(OutputValues& values, const std::function<bool(std::size_t)>& is_wrong,
           const std::function<double(double)>& wrong) {
  for (std::size_t i = 0; i < values.got.size(); ++i) {
    if (!is_wrong(i)) continue;
    values.got[i] = wrong(values.expected[i]);
    values.again[i] = values.got[i];
  }
}

void leave_alone(OutputValues& values, std::size_t i) {
  values.got[i] = 1e20f;
  values.untouched[i] = true;
  values.again[i] = values.filled[i];
}

std::string said(const OutputValues& values) { return describe(wrong_output(values, limit)); }

const std::function<bool(std::size_t)> all = [](std::size_t) { return true; };

TEST(WrongOutput, OfARightOutputThereIsNothingToSay) {
  EXPECT_EQ(wrong_output(right({2, 3}), limit).wrong, 0u);
  EXPECT_EQ(said(right({2, 3})), "");
}

// The outputs of a case whose inputs are scaled: what a call leaves alone is small beside them.
TEST(WrongOutput, WhatIsNeverWrittenIsNotRightInTheNextCall) {
  OutputValues values = right({40});
  values.magnitudes.rms = 1e7;
  for (std::size_t i = 0; i < 40; ++i) {
    values.got[i] = values.again[i] = values.expected[i] *= 1e7;
    if (i % 3 != 0) continue;
    values.expected[i] = 0;
    leave_alone(values, i);
  }
  EXPECT_EQ(said(values), "all never written");
}

// Three long rows of 37 that are cut off, where the others are sums in another order.
TEST(WrongOutput, AnErrorInFewElementsIsNoRounding) {
  OutputValues values = right({37});
  for (double& got : values.got) got *= 1 + 1e-7;
  for (const std::size_t i : {2U, 27U, 29U}) values.got[i] += 0.01;
  EXPECT_TRUE(is_in_few_elements(values, 1e-5));
  values.dtype = Dtype::float16;
  EXPECT_FALSE(is_in_few_elements(values, 1e-5));
}

// Products of operands of 11 bits, of which all or all but a few are clamped.
TEST(WrongOutput, ARoundingInAClampedOutputIsNoBug) {
  for (const std::size_t exact : {0U, 30U}) {
    OutputValues values = right({37});
    for (std::size_t i = exact; i < 37; ++i) values.got[i] = rounded_to(Dtype::float16, values.expected[i]);
    EXPECT_FALSE(is_in_few_elements(values, 1e-5)) << exact;
  }
}

TEST(WrongOutput, ARoundingToTheTypeOfTheOutputIsNotWrong) {
  OutputValues values = right({40});
  values.dtype = Dtype::bfloat16;
  for (std::size_t i = 0; i < 40; ++i)
    values.got[i] = values.again[i] = rounded_to(Dtype::bfloat16, values.expected[i]);
  EXPECT_EQ(wrong_output(values, 1e-5).wrong, 0U);
  values.got[7] = values.expected[7] + 0.1;
  EXPECT_EQ(wrong_output(values, 1e-5).wrong, 1U);
}

TEST(WrongOutput, LargeIntegersAreComparedAndShownInFull) {
  OutputValues values = right({3});
  values.expected = values.got = values.again = {999'999'999, -2'147'483'648.0, 1e15};
  values.got[0] = values.again[0] = 999'999'998;
  const WrongOutput found = wrong_output(values, 0);
  ASSERT_EQ(found.examples.size(), 1u);
  EXPECT_EQ(found.examples[0].expected, "999999999");
  EXPECT_EQ(found.examples[0].got, "999999998");
}

TEST(WrongOutput, NeverWrittenAndAddedToAreToldApart) {
  OutputValues values = right({6});
  leave_alone(values, 1);
  values.got[2] = 1e20f;  // a sum that does not show
  values.untouched[2] = true;
  values.again[2] = values.filled[2] + values.expected[2];
  values.got[4] = values.again[4] = 7;
  const WrongOutput found = wrong_output(values, limit);
  EXPECT_EQ(found.wrong, 3u);
  EXPECT_EQ(found.never_written, 1u);
  EXPECT_EQ(found.added_to, 1u);
  ASSERT_EQ(found.examples.size(), 3u);
  EXPECT_EQ(found.examples[0].got, "never written");
  EXPECT_EQ(found.examples[1].got, "added to what was there");
  EXPECT_EQ(found.examples[2].got, "7");
  EXPECT_EQ(found.examples[2].index, std::vector<std::int64_t>{4});
}

TEST(WrongOutput, ASumIsRoundedToTheElementsType) {
  OutputValues values = right({4});
  for (std::size_t i = 0; i < 4; ++i) {
    values.got[i] = std::numeric_limits<float>::quiet_NaN();
    values.again[i] = std::round(128 * (values.filled[i] + values.expected[i])) / 128;
  }
  EXPECT_EQ(wrong_output(values, limit).added_to, 4u);
}

// Where it adds so little that the sum is what was there, a kernel that adds elsewhere adds here, too.
TEST(WrongOutput, ASumThatDoesNotShowCountsAsTheOthersDo) {
  OutputValues values = right({6});
  values.expected[2] = 0.001f;
  for (std::size_t i = 0; i < 6; ++i) {
    values.got[i] = 1e20f;
    values.untouched[i] = true;
    values.again[i] = i == 2 ? values.filled[i] : values.filled[i] + values.expected[i];
  }
  EXPECT_EQ(wrong_output(values, 1e-4).added_to, 6u);
  for (std::size_t i = 0; i < 6; ++i) values.again[i] = values.filled[i];
  EXPECT_EQ(wrong_output(values, 1e-4).never_written, 6u);
}

TEST(WrongOutput, WithoutASecondCallWhatIsUntouchedCountsAsNeverWritten) {
  OutputValues values = right({3});
  leave_alone(values, 2);
  values.again.clear();
  values.filled.clear();
  EXPECT_THAT(said(values), HasSubstr("all never written"));
}

TEST(WrongOutput, NamesTheEndOfEachRow) {
  OutputValues values = right({4, 5});
  for (std::size_t row = 0; row < 4; ++row) leave_alone(values, 5 * row + 4);
  EXPECT_EQ(said(values),
            "all never written; the wrong ones are the last one of each row (the last dimension)");
}

TEST(WrongOutput, NamesTheLastElementIfItAloneIsWrong) {
  OutputValues last = right({4, 5});
  leave_alone(last, 19);
  EXPECT_EQ(said(last), "all never written; the wrong one is the last in memory");
  OutputValues other = right({4, 5});
  leave_alone(other, 18);
  EXPECT_EQ(said(other), "all never written");
  OutputValues only = right({1});
  leave_alone(only, 0);
  EXPECT_EQ(said(only), "all never written");
}

TEST(WrongOutput, NamesOneRowATailAndABlock) {
  const auto rows = [](std::size_t i) { return i / 5 == 2; };
  OutputValues row = right({4, 5});
  spoil(row, rows, [](double x) { return x * x + 3; });
  EXPECT_EQ(said(row), "the wrong ones are number 2 of each column (the last dimension but one)");
  OutputValues tail = right({4, 5});
  spoil(
      tail, [](std::size_t i) { return i >= 13; }, [](double x) { return x * x + 3; });
  EXPECT_EQ(said(tail), "the wrong ones are the last 7 in memory");
  OutputValues block = right({4, 5});
  spoil(
      block, [](std::size_t i) { return i / 5 < 2 && i % 5 < 3; }, [](double x) { return x * x + 3; });
  EXPECT_EQ(said(block), "the wrong ones are the block from [0, 0] to [1, 2]");
}

TEST(WrongOutput, NamesAFactorADifferenceAndZeros) {
  const std::pair<std::function<double(double)>, const char*> relations[] = {
      {[](double x) { return 2 * x; }, "they are the expected value times 2"},
      {[](double x) { return x + 0.5; }, "they are off by 0.5 each"},
      {[](double) { return 0.0; }, "they are zero"},
      {[](double x) { return x * x + 3; }, ""}};
  for (const auto& [wrong, words] : relations) {
    OutputValues values = right({4, 5});
    spoil(values, all, wrong);
    EXPECT_EQ(said(values), words);
  }
}

TEST(WrongOutput, SmallErrorsAreNoFactorOfOne) {
  OutputValues noisy = right({20, 50});
  for (std::size_t i = 0; i < noisy.got.size(); ++i) {
    noisy.got[i] = noisy.again[i] = noisy.expected[i] + (i % 3 == 0 ? 4e-4 : -2e-4);
  }
  EXPECT_EQ(describe(wrong_output(noisy, 1e-4)), "");
  OutputValues scaled = right({20, 50});
  spoil(scaled, all, [](double x) { return 1.0004 * x; });
  EXPECT_THAT(describe(wrong_output(scaled, 1e-9)), HasSubstr("they are the expected value times 1.0004"));
}

TEST(WrongOutput, TheRangeOfScatteredElementsSaysNothing) {
  const auto spoiled = [](const std::function<bool(std::size_t row, std::size_t column)>& is_wrong) {
    OutputValues values = right({64, 256});
    spoil(
        values, [&](std::size_t i) { return is_wrong(i / 256, i % 256); },
        [](double x) { return x * x + 3; });
    return said(values);
  };
  EXPECT_EQ(spoiled([](std::size_t row, std::size_t column) { return 8 + (91 * row) % 230 == column; }), "")
      << "one of each row";
  EXPECT_EQ(spoiled([](std::size_t row, std::size_t column) { return row % 63 == 0 && column == 7; }), "")
      << "two of one column";
  EXPECT_EQ(
      spoiled([](std::size_t row, std::size_t column) { return column >= 253 && (row + column) % 3 != 0; }),
      "the wrong ones are among the last 3 of each row (the last dimension)");
  EXPECT_EQ(spoiled([](std::size_t row, std::size_t column) {
              return column >= 100 && column < 110 && (row + column) % 4 != 0;
            }),
            "the wrong ones are among numbers 100 to 109 of each row (the last dimension)");
}

TEST(WrongOutput, ZerosInFreshMemoryMayNeverHaveBeenWritten) {
  OutputValues values = right({4, 5});
  spoil(values, all, [](double) { return 0.0; });
  values.was_fresh_memory = true;
  EXPECT_EQ(said(values), "they are zero: written so, or never written");
}

TEST(WrongOutput, NamesATransposedAndAShiftedOutput) {
  OutputValues transposed = right({3, 4});
  for (std::size_t i = 0; i < 12; ++i) transposed.got[i % 4 * 3 + i / 4] = transposed.expected[i];
  transposed.again = transposed.got;
  EXPECT_EQ(said(transposed), "the output is transposed");
  OutputValues late = right({12});
  for (std::size_t i = 1; i < 12; ++i) late.got[i] = late.expected[i - 1];
  late.got[0] = 9;
  late.again = late.got;
  EXPECT_EQ(said(late), "every value is one place too late in memory");
}

TEST(WrongOutput, NamesTheAnswerToTheCallBefore) {
  OutputValues values = right({8});
  for (const double x : values.expected) values.before.push_back(3 - x * x);
  values.got = values.before;
  values.again = values.before;
  EXPECT_EQ(said(values), "they are right for the inputs of the call before");
  for (double& x : values.before) x *= 1e-9;
  values.got = values.again = values.before;
  values.magnitudes.rms = 1;
  EXPECT_THAT(said(values), Not(HasSubstr("call before"))) << "near 0, as any small answer is";
}

TEST(WrongOutput, SaysThatASecondCallIsRight) {
  OutputValues values = right({8});
  values.got[3] = values.got[5] = 9;
  EXPECT_THAT(said(values),
              HasSubstr("called again they are right: threads race, or something is kept between calls"));
  values.untouched[3] = values.untouched[5] = true;
  EXPECT_THAT(said(values),
              testing::AllOf(HasSubstr("all never written; "), HasSubstr("called again they are right")));
}

TEST(WrongOutput, SaysThatMemoryBeyondATensorWasRead) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  OutputValues values = right({8});
  values.got[3] = values.got[5] = nan;
  values.amid_nans = values.again;
  const std::string race = "called again they are right: threads race, or something is kept between calls";
  const std::string beyond = "memory beyond a tensor was read";
  EXPECT_THAT(said(values), HasSubstr(race)) << "what lies around the tensors changed nothing";
  values.amid_nans[3] = nan;
  EXPECT_THAT(said(values), testing::AllOf(HasSubstr(beyond), testing::Not(HasSubstr(race))));
  values.again[3] = values.again[5] = 7;
  EXPECT_THAT(said(values), HasSubstr(beyond)) << "it adds what it reads";
  values.again[3] = nan;
  EXPECT_THAT(said(values), testing::Not(HasSubstr(beyond))) << "it is NaN in any case";
}

// Infinities and NaNs agree with themselves only, and no pattern is made of them.
TEST(WrongOutput, HoldsNonFiniteValuesAgainstEachOther) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OutputValues values = right({4});
  values.expected = {infinity, nan, infinity, 1};
  values.got = {infinity, nan, -infinity, nan};
  values.again = values.got;
  const WrongOutput found = wrong_output(values, limit);
  EXPECT_EQ(found.wrong, 2u);
  EXPECT_EQ(found.examples[0].got, "-inf");
  EXPECT_EQ(found.examples[1].got, "nan");
}

}  // namespace kgrade::wrong_output_test
