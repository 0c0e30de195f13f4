// What is learnt of a case's outputs from samples of what the oracle leaves, and what follows for a verdict.
#include "verify/expected_scales.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "device/element_errors.h"
#include "tests/support/case_fixture.h"
#include "verify/judgement.h"

namespace kgrade::expected_scales_test {

using test::outputs_off_by;
using testing::HasSubstr;
using testing::SizeIs;

using Numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor output_of(std::int64_t elements) {
  Tensor tensor;
  tensor.name = "output";
  tensor.shape = {elements};
  tensor.elements = elements;
  tensor.output = true;
  return tensor;
}

class UsualNorms : public test::CaseFixture {
 protected:
  UsualNorms() {
    case_.role = CaseRole::test;
    case_.tensors = {output_of(3)};
  }

  // As if sums cancelled: the output's norm is a thousandth of the usual one, which is 10.
  void cancel(double error_of_usual_norm) {
    for (int i = 0; i < 8; ++i) {
      for (const double mean_square : {0.5, 1.5}) contest_.expected_samples.push_back(signs(mean_square));
    }
    for (const std::size_t rare : {2U, 7U}) contest_.expected_samples[rare] = signs(1e7);
    contest_.candidate_comparison = outputs_off_by(error_of_usual_norm);
    contest_.candidate_comparison.sum_squared_expected = 100e-6;
    // What an answer is off by in units of the usual root mean square.
    contest_.candidate_comparison.max_scaled_difference = error_of_usual_norm;
  }

  static std::vector<std::vector<double>> signs(double mean_square) {
    const double size = std::sqrt(mean_square);
    return {{size, -size, size}};
  }

  // Calls of the oracle that the case's own calls did not need.
  std::size_t extra_calls() const {
    return contest_.oracle_draws.size() -
           static_cast<std::size_t>(std::count_if(contest_.oracle_draws.begin(), contest_.oracle_draws.end(),
                                                  [](const Draw& draw) { return draw.index < (3 << 20); }));
  }
};

TEST_F(UsualNorms, AreWhatASmallOutputIsJudgedBy) {
  cancel(3e-6);
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_DOUBLE_EQ(record.relative_error, 3e-6);
  EXPECT_EQ(record.precision, Precision::fp32);
}

TEST_F(UsualNorms, MakeNoLowerClassAHigherOne) {
  cancel(3e-4);
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::low_precision);
  EXPECT_EQ(record.precision, Precision::tf32);
}

TEST_F(UsualNorms, AreThoseOfContentsThatNobodyElseIsCalledOn) {
  cancel(0);
  run();
  EXPECT_EQ(extra_calls(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(contest_.oracle_draws[i].change, 0U);
}

TEST_F(UsualNorms, HoldForTheReferenceToo) {
  cancel(0);
  contest_.reference_comparison = contest_.candidate_comparison = outputs_off_by(3e-6);
  contest_.reference_comparison.sum_squared_expected = 100e-6;
  expect_accepted(run());
}

TEST_F(UsualNorms, AreNotAskedForWhereAnOutputIsLargeEnough) {
  case_.tensors = {output_of(128)};
  run();
  EXPECT_EQ(extra_calls(), 0U);
}

// swish() of products of 1,000 terms in float, of which three quarters happen to be negative: those elements
// are nearly zero, and off by as much of their size as the products are off by.
TEST_F(UsualNorms, HoldForTheSmallerElementsToo) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> draw(0, 32);
  const auto swish = [](double x) { return x / (1 + std::exp(-x)); };
  const auto products = [&] {
    Numbers drawn(35);
    std::generate(drawn.begin(), drawn.end(), [&] { return draw(generator); });
    return drawn;
  };
  const auto outputs_of = [&](const Numbers& inputs) {
    Numbers outputs;
    for (const double input : inputs) outputs.push_back(swish(input));
    return outputs;
  };
  Numbers unlucky = products();
  for (std::size_t i = 0; i < unlucky.size(); ++i) unlucky[i] = (i % 5 == 0 ? 1 : -1) * std::fabs(unlucky[i]);
  Numbers off = unlucky;
  for (double& product : off) product += 2e-5;
  const auto judged_by = [&](const ExpectedScales& scales) {
    ElementErrors errors;
    for (std::size_t i = 0; i < off.size(); ++i)
      device::accumulate(errors, swish(off[i]), swish(unlucky[i]), i, Dtype::float32,
                         scales.magnitudes().front());
    return judge({"output", {35}, errors}, 0, problem_, case_, scales, Precision::fp32).verdict;
  };
  ExpectedScales from_it_alone;
  from_it_alone.add({outputs_of(unlucky)});
  EXPECT_NE(judged_by(from_it_alone), Verdict::accepted);
  case_.tensors = {output_of(35)};
  std::vector<Samples> calls;
  for (int call = 0; call < ExpectedScales::draws_of(case_, Precision::fp32); ++call)
    calls.push_back({outputs_of(products())});
  ExpectedScales scales;
  scales.learn_from(calls);
  EXPECT_EQ(judged_by(scales), Verdict::accepted);
}

// The shorter its kernel is, the more launches a sample of a measured case has.
TEST_F(UsualNorms, HoldForTheOutputsOfEveryLaunch) {
  cancel(3e-6);
  contest_.extra_outputs = 3;
  expect_accepted(run());
}

// TF32's error is a third of its threshold: sums need not cancel by much.
TEST_F(UsualNorms, AreAskedForAtLargerOnesInALowerClass) {
  problem_.precision = "tf32";
  case_.tensors = {output_of(1000)};
  cancel(3e-4);
  expect_accepted(run());
  EXPECT_EQ(extra_calls(), 16U);
  case_.tensors = {output_of(1 << 16)};
  EXPECT_EQ(ExpectedScales::draws_of(case_, Precision::tf32), 0);
}

TEST_F(UsualNorms, AreThoseOfMoreDrawsWhereErrorsAreCloseAndOutputsSmallest) {
  problem_.precision = "tf32";
  cancel(3e-4);
  expect_accepted(run());
  EXPECT_EQ(extra_calls(), 64U);
}

TEST_F(UsualNorms, AnOracleThatFailsIsNoVerdictOnTheCandidate) {
  cancel(0);
  contest_.oracle_report.call.error = 700;
  const auto record = try_run();
  ASSERT_FALSE(record.ok());
  EXPECT_THAT(record.error().message, HasSubstr("the oracle"));
}

ExpectedScales learnt(const std::vector<Samples>& calls) {
  ExpectedScales scales;
  scales.learn_from(calls);
  return scales;
}

TEST(ExpectedScales, TheUsualSquareIsTheMeanOfAllButTheLargest) {
  EXPECT_EQ(ExpectedScales().usual(0).all, 0);
  const ExpectedScales scales =
      learnt({{{1e15}, {0}}, {{1}, {0}}, {{2}, {0}}, {{infinity}, {0}}, {{3}, {0}}});
  EXPECT_NEAR(scales.usual(0).all, (0 + 1.0 + 4.0) / 3, 1e-12) << "an infinite one counts as nothing";
  EXPECT_EQ(scales.usual(1).all, 0);
  EXPECT_EQ(scales.usual(2).all, scales.usual(0).all) << "the first output of the second launch";
}

TEST(ExpectedScales, OneCallSaysNothingOfWhatIsUsual) { EXPECT_EQ(learnt({{{1, 2, 3}}}).usual(0).all, 0); }

TEST(ExpectedScales, TheDistanceIsThatOfAnswersToInputsThatFollowEachOther) {
  ExpectedScales scales;
  EXPECT_EQ(scales.distance(0), infinity);
  scales.add({{1, 1}});
  EXPECT_EQ(scales.distance(0), infinity);
  scales.add({{1.1, 0.9}});
  EXPECT_NEAR(scales.distance(0), 0.1 / 0.9, 1e-9) << "of the smaller one";
  EXPECT_TRUE(scales.wants_more());
  scales.add({{1, 1}});
  EXPECT_FALSE(scales.wants_more());
}

TEST(Magnitudes, AreOfTheValuesThatVary) {
  std::vector<double> values(1000, 0.0);
  for (std::size_t i = 0; i < 600; ++i)
    values[i] = i < 590 ? 1 + static_cast<double>(i) / 1000 : 1e6 + static_cast<double>(i);
  for (std::size_t i = 600; i < 700; ++i) values[i] = -1e9;
  values[999] = infinity;
  const Magnitudes magnitudes = magnitudes_of(values);
  EXPECT_EQ(magnitudes.common_count, 2U);
  EXPECT_EQ(magnitudes.smaller_limit, 2);
  EXPECT_GT(magnitudes.rms, 1e5);
  EXPECT_LT(magnitudes.rms, 1e6);
}

TEST(Magnitudes, WhereNothingElseIsLeftCommonValuesVary) {
  const Magnitudes magnitudes = magnitudes_of(std::vector<double>{1, -1, 1, -1, 1, -1});
  EXPECT_EQ(magnitudes.common_count, 0U);
  EXPECT_EQ(magnitudes.smaller_limit, 1);
  EXPECT_EQ(magnitudes.rms, 1);
}

// The values 5 and 7 occur more often than the others, and 5 does so in another draw too.
Numbers with_common(double often, double first) {
  Numbers values(200, often);
  for (std::size_t i = 0; i < 100; ++i) values[i] = first + 0.01 * static_cast<double>(i);
  values[100] = values[101] = values[102] = first + 0.5;
  return values;
}

TEST(Magnitudes, ACommonValueIsFixedOnceOtherInputsHaveItToo) {
  ExpectedScales scales;
  scales.add({with_common(5, 100)});
  const Magnitudes first = scales.magnitudes().front();
  EXPECT_EQ(first.common_count, 2U);
  EXPECT_EQ(first.fixed_count, 0U);
  scales.add({with_common(5, 200)});
  const Magnitudes second = scales.magnitudes().front();
  EXPECT_EQ(second.common_count, 2U);
  EXPECT_EQ(second.fixed_count, 1U);
  EXPECT_EQ(second.common[0], 5);
  scales.add({with_common(5, 100)});  // a repeated call
  EXPECT_EQ(scales.magnitudes().front().fixed_count, 1U);
}

TEST(Magnitudes, CommonValuesOfSeveralCallsAreFixed) {
  const Magnitudes magnitudes = learnt({{with_common(5, 100)}, {with_common(5, 200)}}).magnitudes().front();
  EXPECT_EQ(magnitudes.common_count, 1U);
  EXPECT_EQ(magnitudes.fixed_count, 1U);
}

TEST(Magnitudes, OfNothingAreThoseOfOneSize) {
  const Magnitudes magnitudes = magnitudes_of(std::vector<double>{infinity, -infinity});
  EXPECT_EQ(magnitudes.smaller_limit, infinity);
  EXPECT_EQ(magnitudes.rms, 0);
}

ElementErrors off_in_smaller(double share, std::uint64_t lost = 0) {
  ElementErrors errors;
  errors.compared = 100;
  errors.sum_squared_expected = 1e6;
  errors.varying = {0, 1e6, 100};
  errors.smaller = {75 * share * share, 75, 75};
  errors.lost = lost;
  return errors;
}

TEST(ExpectedScales, WhatModelIsOffByInTheSmallerElementsAnAnswerMayBeFourTimes) {
  Problem problem;
  Case bound;
  ExpectedScales scales = learnt({{Numbers(100, 1)}});
  const auto verdict = [&](double share) {
    return judge({"y", {100}, off_in_smaller(share)}, 0, problem, bound, scales, Precision::fp32).verdict;
  };
  EXPECT_NE(verdict(3e-3), Verdict::accepted);
  scales.allow_beyond_bound(0, off_in_smaller(1e-3));
  EXPECT_EQ(verdict(3e-3), Verdict::accepted);
  EXPECT_NE(verdict(5e-3), Verdict::accepted);
  EXPECT_NE(verdict(1), Verdict::accepted) << "zeros";
}

// Four roundings to bfloat16 for each of two operators are 3.1e-2, and four times 1e-2 are 4e-2.
TEST(ExpectedScales, LimitsAnswersInHalfPrecisionByModelAndItsOperators) {
  Problem problem;
  problem.dtype = Dtype::bfloat16;
  problem.torch.emplace();
  problem.torch->operators = 2;
  problem.thresholds.bf16 = 5e-2;
  ExpectedScales scales = learnt({{Numbers(100, 1)}});
  const auto bound = [&] { return error_bounds(problem, Case(), 0, scales).bf16; };
  EXPECT_EQ(bound(), 5e-2);
  scales.limit_by_model(0, 1e-3, rounding_of_operators(problem));
  EXPECT_EQ(bound(), 0x1p-5);
  scales.limit_by_model(0, 1e-2, rounding_of_operators(problem));
  EXPECT_DOUBLE_EQ(bound(), 4e-2);
  scales.limit_by_model(0, 1e-3, rounding_of_operators(problem));
  EXPECT_DOUBLE_EQ(bound(), 4e-2);
  scales = ExpectedScales(Samples{Numbers(100, 2)}, scales);
  EXPECT_DOUBLE_EQ(bound(), 4e-2) << "of families";
  problem.torch->operators = 0;
  scales.limit_by_model(0, 1e-3, rounding_of_operators(problem));
  EXPECT_EQ(bound(), 5e-2);
}

TEST(ExpectedScales, WhatModelIsOffByInCommonValuesAnAnswerMayBeFourTimes) {
  Problem problem;
  Case bound;
  ExpectedScales scales = learnt({{Numbers(100, 1)}});
  const auto off_in_common = [](double share) {
    ElementErrors errors;
    errors.compared = 2000;
    errors.common = 2000 * share;
    return errors;
  };
  const auto verdict = [&](double share) {
    return judge({"y", {2000}, off_in_common(share)}, 0, problem, bound, scales, Precision::fp32).verdict;
  };
  EXPECT_NE(verdict(3e-3), Verdict::accepted);
  scales.allow_beyond_bound(0, off_in_common(1e-3));
  EXPECT_EQ(verdict(3e-3), Verdict::accepted);
  EXPECT_NE(verdict(5e-3), Verdict::accepted);
}

TEST(ExpectedScales, AnAnswerThatLosesMostValuesIsWrongWhereTheReferenceKeepsThem) {
  Problem problem;
  Case bound;
  ExpectedScales scales = learnt({{Numbers(100, 1)}});
  const auto verdict = [&](std::uint64_t lost) {
    return judge({"y", {100}, off_in_smaller(0, lost)}, 0, problem, bound, scales, Precision::bf16).verdict;
  };
  EXPECT_EQ(verdict(51), Verdict::accepted) << "nothing is known of the reference";
  scales.note_reference(0, off_in_smaller(0, 25));
  EXPECT_EQ(verdict(50), Verdict::accepted);
  EXPECT_EQ(verdict(51), Verdict::wrong_answer);
  scales.note_reference(0, off_in_smaller(0, 26));
  EXPECT_EQ(verdict(51), Verdict::accepted);
}

// An output of 400 rows and five columns. The last two are small.
class SlicesOfAnOutput : public testing::Test {
 protected:
  SlicesOfAnOutput() {
    Tensor output = output_of(2000);
    output.shape = {400, 5};
    case_.tensors = {output};
  }

  static bool is_small(std::size_t index) { return index % 5 >= 3; }

  Numbers numbers(double small) {
    Numbers drawn(2000);
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = draw_(generator_) * (is_small(i) ? small : 1);
    return drawn;
  }

  ExpectedScales scales_for(double small) {
    expected_ = numbers(small);
    ExpectedScales scales = learnt({{expected_}, {numbers(small)}});
    scales.look_for_slices(case_);
    return scales;
  }

  // Each small element is off by this many times its size.
  ElementErrors off_by(double share, const ExpectedScales& scales) const {
    Numbers actual = expected_;
    for (std::size_t i = 0; i < actual.size(); ++i) actual[i] *= is_small(i) ? 1 + share : 1;
    device::ComparedOutput output;
    output.actual = reinterpret_cast<const unsigned char*>(actual.data());
    output.expected = reinterpret_cast<const unsigned char*>(expected_.data());
    output.elements = actual.size();
    output.dtype = Dtype::float64;
    output.magnitudes = scales.magnitudes().front();
    ElementErrors errors;
    for (std::size_t i = 0; i < actual.size(); ++i) device::accumulate(errors, output, i);
    return errors;
  }

  Judgement judged(double share, const ExpectedScales& scales) const {
    return judge({"y", {400, 5}, off_by(share, scales)}, 0, problem_, case_, scales, Precision::fp32);
  }

  Problem problem_;
  Case case_;
  Numbers expected_;
  std::mt19937_64 generator_{5};
  std::normal_distribution<double> draw_{0, 1};
};

TEST_F(SlicesOfAnOutput, AreJudgedByThemselvesIfTheyAreFarApart) {
  ExpectedScales scales = scales_for(1e-6);
  EXPECT_EQ(scales.magnitudes().front().slices.count, 5U);
  EXPECT_EQ(scales.magnitudes().front().slices.inner, 1U);
  scales.note_reference(0, off_by(1e-7, scales), 5e-5);
  EXPECT_EQ(judged(1e-5, scales).verdict, Verdict::accepted);
  const Judgement of_zeros = judged(-1, scales);
  EXPECT_EQ(of_zeros.verdict, Verdict::wrong_answer);
  EXPECT_EQ(of_zeros.decided_by, ErrorFigure::slice);
  EXPECT_EQ(judged(1e-2, scales).verdict, Verdict::low_precision);
}

TEST_F(SlicesOfAnOutput, AreOneSetIfTheyAreNear) {
  EXPECT_EQ(scales_for(2e-3).magnitudes().front().slices.count, 0U);
}

TEST_F(SlicesOfAnOutput, AreNotJudgedWhereNobodyIsPreciseInThem) {
  ExpectedScales scales = scales_for(1e-6);
  EXPECT_EQ(judged(-1, scales).verdict, Verdict::accepted) << "nothing is known of the reference";
  scales.note_reference(0, off_by(1e-7, scales), 5e-5);
  scales.note_reference(0, off_by(1e-3, scales), 5e-5);
  scales.note_reference(0, off_by(1e-7, scales), 5e-5);
  EXPECT_EQ(judged(-1, scales).verdict, Verdict::accepted);
}

TEST_F(SlicesOfAnOutput, OfFewElementsAreNone) {
  case_.tensors.front().shape = {5, 80, 5};
  ExpectedScales scales = scales_for(1e-6);
  EXPECT_EQ(scales.magnitudes().front().slices.inner, 1U);
  case_.tensors.front().shape = {25, 80};  // 25 elements of each column
  EXPECT_EQ(scales_for(1e-6).magnitudes().front().slices.count, 0U);
}

TEST(ErrorBounds, GrowWithTheLengthOfASum) {
  EXPECT_EQ(error_bounds({}, 1, Dtype::float32).fp32, 1e-5);
  EXPECT_EQ(error_bounds({}, 256, Dtype::float32).fp32, 1e-5);
  EXPECT_NEAR(error_bounds({}, 65'536, Dtype::float32).fp32, 9.2e-5, 1e-6);
  EXPECT_EQ(error_bounds({}, 65'536, Dtype::float64).fp32, 1e-5) << "doubles are rounded less";
}

// Products of operands rounded to TF32 are off by 2.8e-4.
TEST(ErrorBounds, DoNotGrowIntoTheNextClass) {
  const Thresholds bounds = error_bounds({}, 1e9, Dtype::float32);
  EXPECT_EQ(bounds.fp32, 2.2e-4);
  EXPECT_EQ(bounds.tf32, 2.2e-3);
  EXPECT_EQ(bounds.bf16, 1e-2);
  // Of a mean, whose classes are nearer to each other than orders of a long sum are.
  EXPECT_EQ(error_bounds({1e-5, 2e-5, 4e-5}, 1e9, Dtype::float32).bf16, 2.2e-3);
}

TEST(ErrorBounds, LeaveNoRoomForAClassThatTheAnswerToOtherInputsIsIn) {
  const Thresholds bounds = error_bounds({}, 1, Dtype::float32, 4e-4);
  EXPECT_EQ(bounds.fp32, 1e-5);
  EXPECT_NEAR(bounds.tf32, 4e-5, 1e-12);
  EXPECT_NEAR(bounds.bf16, 4e-5, 1e-12);
  // A mean of 10^9 numbers, added by 2^16 threads.
  EXPECT_NEAR(error_bounds({1e-5, 2e-5, 4e-5}, 1e9, Dtype::float32, 4e-5).fp32, 4e-5 / 3, 1e-12);
  const Thresholds least = error_bounds({}, 1, Dtype::float32, 0);
  EXPECT_EQ(least.bf16, 1e-5) << "single precision is always asked for";
}

}  // namespace kgrade::expected_scales_test
