#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "device/element_errors.h"
#include "grade/candidate_run.h"
#include "tests/support/fake_contest.h"
#include "verify/checks.h"
#include "verify/expected_scales.h"
#include "verify/judgement.h"

namespace kgrade::verdict_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

ElementErrors compare(const std::vector<float>& actual, const std::vector<float>& expected) {
  const Magnitudes magnitudes = magnitudes_of(sample_of(expected));
  ElementErrors total;
  for (std::size_t i = 0; i < actual.size(); ++i)
    device::accumulate(total, actual[i], expected[i], i, Dtype::float32, magnitudes);
  return total;
}

Judgement judge_fp32(const ElementErrors& errors) { return judge(errors, Thresholds{}, Precision::fp32); }

// Every element is off by the same share, which looks like rounding.
ElementErrors evenly_off(double share) {
  std::vector<float> expected(1000);
  std::vector<float> actual(1000);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<float>(1 + i % 7);
    actual[i] = static_cast<float>(expected[i] * (1 + (i % 2 == 0 ? share : -share)));
  }
  return compare(actual, expected);
}

TEST(Verdict, EqualOutputsAreAcceptedWithNoError) {
  const Judgement judgement = judge_fp32(compare({1, 2, 3}, {1, 2, 3}));
  EXPECT_EQ(judgement.verdict, Verdict::accepted);
  EXPECT_EQ(judgement.precision, Precision::fp32);
  EXPECT_EQ(judgement.relative_error, 0);
}

TEST(Verdict, WhatIsComparedExactlyIsRightOrWrong) {
  const auto judged = [](const ElementErrors& errors) {
    return judge({"y", {2}, errors, Comparison::Kind::exact}, Thresholds{}, Precision::bf16);
  };
  EXPECT_EQ(judged(compare({1, 1e9f}, {1, 1e9f})).verdict, Verdict::accepted);
  EXPECT_EQ(judged(compare({1, 1e9f}, {1, 1e9f})).precision, Precision::exact);
  // Far within the class that is asked for.
  const Judgement judgement = judged(compare({1, 1e9f}, {1.5f, 1e9f}));
  EXPECT_EQ(judgement.verdict, Verdict::wrong_answer);
  EXPECT_EQ(judgement.precision, Precision::none);
  EXPECT_EQ(judgement.element_limit, 0);
  EXPECT_EQ(judged(compare({nan, 1}, {1, 1})).verdict, Verdict::wrong_answer);
}

// As softmax and products of many factors have them: the largest is 100 times the root mean square.
TEST(Verdict, AnElementMayBeOffByALittleOfItsOwnSize) {
  std::vector<float> expected(100'000);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 1e-4F * (1 + static_cast<float>(i) * 1e-6F);
  expected[7] = 1;
  std::vector<float> actual = expected;
  actual[7] = 1 + 9e-6F;  // a tenth of that
  const Judgement rounded = judge_fp32(compare(actual, expected));
  EXPECT_EQ(rounded.verdict, Verdict::accepted) << rounded.max_scaled_error;
  EXPECT_EQ(rounded.precision, Precision::fp32);
  // As far off, and small: a bug.
  actual[7] = 1;
  actual[8] = 1e-4F + 9e-6F;
  EXPECT_NE(judge_fp32(compare(actual, expected)).verdict, Verdict::accepted);
}

// As of doubles: each element has to be as exact as the others.
TEST(Verdict, WhereLessIsAllowedALittleOfItsOwnSizeIsTooMuch) {
  std::vector<float> expected(1'000'000, 1);
  std::vector<float> actual = expected;
  actual[7] = 1 + 1e-4F;
  const ElementErrors errors = compare(actual, expected);
  EXPECT_EQ(judge_fp32(errors).verdict, Verdict::accepted);
  EXPECT_EQ(judge(errors, {1e-6, 1e-3, 1e-2}, Precision::fp32).verdict, Verdict::wrong_answer);
}

TEST(Verdict, TheWorstElementIsTheOneFurthestOffForItsSize) {
  const std::vector<float> expected = {128, 1, 1.25F, 1.5F, 1.75F, 2};
  std::vector<float> actual = expected;
  actual[0] += 0.75F;
  actual[1] += 0.5F;
  const ElementErrors errors = compare(actual, expected);
  EXPECT_EQ(errors.max_abs_difference, 0.75);
  EXPECT_EQ(errors.worst_index, 1U);
  ElementErrors second;
  device::accumulate(second, 1.5, 1, 5);
  ElementErrors merged = compare({1e6F + 100}, {1e6F});
  device::merge(merged, second);
  EXPECT_EQ(merged.worst_index, 5U);
  EXPECT_EQ(merged.max_abs_difference, 100);
  device::merge(second, compare({1e6F + 100}, {1e6F}));
  EXPECT_EQ(second.worst_index, 5U) << "in the other order, too";
  EXPECT_EQ(second.max_scaled_difference, 0.5);
}

TEST(Verdict, ErrorsAreNormOverNorm) {
  const Judgement judgement = judge_fp32(compare({3, 4.5f}, {3, 4}));
  EXPECT_DOUBLE_EQ(judgement.relative_error, 0.5 / 5);
  EXPECT_DOUBLE_EQ(judgement.max_scaled_error, 0.5 / 4) << "it is larger than the root mean square";
}

// Rounding errors do not cancel with the sums.
TEST(Verdict, AnOutputThatHappensToBeSmallIsHeldAgainstItsUsualNorm) {
  const double off = double{2.0001e-3f} - 2e-3f;
  ElementErrors cancelled;
  const Magnitudes usual{.rms = 1};
  device::accumulate(cancelled, 1e-3, 1e-3, 0, Dtype::float32, usual);
  device::accumulate(cancelled, double{2.0001e-3f}, double{2e-3f}, 1, Dtype::float32, usual);
  EXPECT_EQ(judge_fp32(cancelled).verdict, Verdict::low_precision);
  const Judgement judgement = judge(cancelled, Thresholds{}, Precision::fp32, {1, 1, 1});
  EXPECT_EQ(judgement.verdict, Verdict::accepted);
  EXPECT_NEAR(judgement.relative_error, off / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(judgement.max_scaled_error, off, 1e-12);
  EXPECT_DOUBLE_EQ(judgement.element_limit, element_factor * 1e-5);
}

TEST(Verdict, AUsualNormThatIsSmallerChangesNothing) {
  const ElementErrors off = compare({3, 4.5f}, {3, 4});
  EXPECT_EQ(judge(off, Thresholds{}, Precision::fp32, {12, 12, 12}).relative_error,
            judge_fp32(off).relative_error);
}

TEST(Verdict, EvenErrorsReachTheClassTheyAreConsistentWith) {
  EXPECT_EQ(judge_fp32(evenly_off(5e-7)).precision, Precision::fp32);
  EXPECT_EQ(judge_fp32(evenly_off(5e-7)).verdict, Verdict::accepted);
  EXPECT_EQ(judge_fp32(evenly_off(3e-4)).precision, Precision::tf32);
  EXPECT_EQ(judge_fp32(evenly_off(3e-4)).verdict, Verdict::low_precision);
  EXPECT_EQ(judge_fp32(evenly_off(3e-3)).precision, Precision::bf16);
  EXPECT_EQ(judge_fp32(evenly_off(3e-3)).verdict, Verdict::low_precision);
  EXPECT_EQ(judge_fp32(evenly_off(0.1)).precision, Precision::none);
  EXPECT_EQ(judge_fp32(evenly_off(0.1)).verdict, Verdict::wrong_answer);
}

// Operands in 8 bits: 0.015 in int8, 0.04 in float8_e4m3fn. There is no class below bf16.
TEST(Verdict, ErrorsOf8BitsAreLowPrecisionWhereBf16IsAskedFor) {
  for (const double error : {0.015, 0.04}) {
    const Judgement judgement = judge(evenly_off(error), Thresholds{}, Precision::bf16);
    EXPECT_EQ(judgement.verdict, Verdict::low_precision) << error;
    EXPECT_EQ(judgement.precision, Precision::none) << error;
    EXPECT_EQ(judge_fp32(evenly_off(error)).verdict, Verdict::wrong_answer) << error;
  }
  EXPECT_EQ(judge(evenly_off(0.07), Thresholds{}, Precision::bf16).verdict, Verdict::wrong_answer);
}

TEST(Verdict, AFewElementsThatAreOffAreNoErrorsOf8Bits) {
  std::vector<float> expected;
  for (int i = 0; i < 1000; ++i) expected.push_back(1 + static_cast<float>(i) / 1000);
  std::vector<float> actual = expected;
  actual[7] *= 1.5F;
  EXPECT_EQ(judge(compare(actual, expected), Thresholds{}, Precision::bf16).verdict, Verdict::wrong_answer);
}

TEST(Verdict, ALowerClassIsAcceptedWhereTheProblemAsksForNoMore) {
  EXPECT_EQ(judge(evenly_off(3e-4), Thresholds{}, Precision::tf32).verdict, Verdict::accepted);
  EXPECT_EQ(judge(evenly_off(3e-3), Thresholds{}, Precision::tf32).verdict, Verdict::low_precision);
}

TEST(Verdict, OneWrongElementAmongAMillionIsNoMatterOfPrecision) {
  std::vector<float> expected(1'000'000, 1.0f);
  std::vector<float> actual = expected;
  actual[123'456] = 2.0f;  // the norm of the difference over norm is only 1e-3
  const Judgement judgement = judge_fp32(compare(actual, expected));
  EXPECT_LE(judgement.relative_error, 1.1e-3);
  EXPECT_EQ(judgement.verdict, Verdict::wrong_answer);
}

TEST(Verdict, OneSlightlyWrongElementIsFoundInAHugeOutput) {
  std::vector<float> expected(4'000'000, 1.0f);
  std::vector<float> actual = expected;
  actual[7] = 1.001f;  // far inside the norm's bound of 1e-5
  const ElementErrors errors = compare(actual, expected);
  EXPECT_LT(judge_fp32(errors).relative_error, 1e-5);
  EXPECT_EQ(judge_fp32(errors).verdict, Verdict::wrong_answer);
  EXPECT_EQ(errors.worst_index, 7u);
}

TEST(Verdict, ZerosAreWrongHoweverSmallTheExpectedOutput) {
  const std::vector<float> expected(100, 1e-20f);
  EXPECT_EQ(judge_fp32(compare(std::vector<float>(100, 0.0f), expected)).verdict, Verdict::wrong_answer);
}

TEST(Verdict, AnythingButZeroIsWrongWhereZerosAreExpected) {
  EXPECT_EQ(judge_fp32(compare({0, 0}, {0, 0})).verdict, Verdict::accepted);
  EXPECT_EQ(judge_fp32(compare({0, 1e-30f}, {0, 0})).verdict, Verdict::wrong_answer);
  EXPECT_EQ(judge_fp32(compare({0, 1e-40f}, {0, 0})).verdict, Verdict::accepted)
      << "less than a normal float";
}

TEST(Verdict, NanAndTheInfinitiesAreToldApart) {
  EXPECT_EQ(judge_fp32(compare({1, nan}, {1, nan})).verdict, Verdict::accepted);
  EXPECT_EQ(judge_fp32(compare({1, inf}, {1, inf})).verdict, Verdict::accepted);
  for (const auto& [actual, expected] : std::vector<std::pair<float, float>>{
           {nan, 1}, {inf, 1}, {1, nan}, {1, inf}, {nan, inf}, {inf, nan}, {inf, -inf}, {-inf, inf}}) {
    const ElementErrors errors = compare({1, actual}, {1, expected});
    EXPECT_EQ(errors.nonfinite_mismatches, 1u) << actual << " for " << expected;
    EXPECT_EQ(errors.first_nonfinite_mismatch, 1u);
    EXPECT_EQ(judge_fp32(errors).verdict, Verdict::wrong_answer);
  }
}

TEST(Verdict, ANonFiniteValueInTheWrongPlaceIsAnErrorBeyondAllBounds) {
  const std::vector<float> all_nan(3, nan);
  for (const ElementErrors& errors :
       {compare(all_nan, {1, 2, 3}), compare({1, 2, nan}, {1, 2, 3}), compare({1, 2, 3}, {1, inf, 3})}) {
    const Judgement judgement = judge_fp32(errors);
    EXPECT_EQ(judgement.relative_error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(judgement.max_scaled_error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(judgement.precision, Precision::none);
    EXPECT_EQ(judgement.verdict, Verdict::wrong_answer);
  }
  EXPECT_EQ(judge_fp32(compare({1, nan, inf}, {1, nan, inf})).relative_error, 0);
}

TEST(Verdict, MergedPartsEqualTheWhole) {
  std::vector<float> expected(257);
  std::vector<float> actual(257);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = i < 10 ? 0 : static_cast<float>(i * i * i);
    actual[i] = expected[i] + (i == 200 ? 4e6f : 0.25f);
  }
  actual[100] = nan;
  actual[30] = inf;
  const Magnitudes magnitudes = magnitudes_of(sample_of(expected));
  ElementErrors merged;
  for (std::size_t part = 0; part < 4; ++part) {
    ElementErrors partial;
    for (std::size_t i = part; i < expected.size(); i += 4)
      device::accumulate(partial, actual[i], expected[i], i, Dtype::float32, magnitudes);
    device::merge(merged, partial);
  }
  const ElementErrors whole = compare(actual, expected);
  EXPECT_EQ(merged.worst_index, 200u);
  EXPECT_EQ(merged.worst_index, whole.worst_index);
  EXPECT_EQ(merged.nonfinite_mismatches, 2u);
  EXPECT_EQ(merged.first_nonfinite_mismatch, 30u);
  EXPECT_EQ(merged.compared, whole.compared);
  EXPECT_DOUBLE_EQ(merged.sum_squared_difference, whole.sum_squared_difference);
  EXPECT_EQ(merged.smaller.elements, whole.smaller.elements);
  EXPECT_LT(whole.smaller.elements, whole.varying.elements);
  EXPECT_DOUBLE_EQ(merged.smaller.squared_difference, whole.smaller.squared_difference);
  EXPECT_GT(whole.common, 0);
  EXPECT_DOUBLE_EQ(merged.common, whole.common);
}

TEST(Verdict, NamesRoundTrip) {
  for (int i = 0; i < static_cast<int>(enum_words<Verdict>.size()); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(enum_from<Verdict>(to_string(verdict)), verdict);
  }
  EXPECT_FALSE(enum_from<Verdict>("fine"));
}

std::map<std::string, CheckOutcome> outcomes(const CheckList& list) {
  std::map<std::string, CheckOutcome> result;
  for (const Check& check : list.checks()) result[check.name] = check.outcome;
  return result;
}

TEST(CheckList, AFailurePassesWhatCameBeforeAndLeavesWhatComesAfter) {
  CheckList list;
  list.fail("guard_zones", "12 bytes");
  EXPECT_EQ(outcomes(list)["completion"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["guard_zones"], CheckOutcome::failed);
  EXPECT_EQ(outcomes(list)["outputs_match"], CheckOutcome::not_run);
}

TEST(CheckList, AFailureSticksAndTheFirstDetailIsKept) {
  CheckList list;
  list.fail("outputs_match", "first");
  list.fail("outputs_match", "second");
  list.pass_all();
  EXPECT_EQ(outcomes(list)["outputs_match"], CheckOutcome::failed);
  for (const Check& check : list.checks()) {
    EXPECT_EQ(check.detail, check.name == "outputs_match" ? "first" : "");
  }
}

TEST(CheckList, ALaterFailureOverridesAPass) {
  CheckList list;
  list.pass_all();
  list.fail("clock", "late");
  EXPECT_EQ(outcomes(list)["clock"], CheckOutcome::failed);
}

// Hidden shapes, times and the reference are checked only where they apply; all other checks always run.
TEST(CheckList, PassingAllLeavesOutWhatIsNotAlwaysLookedAt) {
  CheckList list;
  list.pass_all();
  bool occasional = false;
  for (const Check& check : list.checks()) {
    occasional = occasional || check.name == first_occasional_check;
    EXPECT_EQ(check.outcome, occasional ? CheckOutcome::not_run : CheckOutcome::passed) << check.name;
  }
  EXPECT_EQ(outcomes(list)["fresh_contents"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["hidden_shapes"], CheckOutcome::not_run);
}

TEST(CheckList, AnOccasionalCheckPassesByItself) {
  CheckList list;
  list.pass("lower_bound");
  for (const auto& [name, outcome] : outcomes(list)) {
    EXPECT_EQ(outcome, name == "lower_bound" ? CheckOutcome::passed : CheckOutcome::not_run) << name;
  }
}

TEST(CheckList, AFailureOfAnOccasionalCheckPassesAllThatAreAlwaysLookedAt) {
  for (const char* failed : {"hidden_shapes", "lower_bound", "steady_clocks", "reference_agreement"}) {
    CheckList list;
    list.fail(failed, "why");
    bool occasional = false;
    for (const Check& check : list.checks()) {
      occasional = occasional || check.name == first_occasional_check;
      const CheckOutcome other = occasional ? CheckOutcome::not_run : CheckOutcome::passed;
      EXPECT_EQ(check.outcome, check.name == failed ? CheckOutcome::failed : other)
          << failed << " " << check.name;
    }
  }
}

TEST(CheckList, WhatHasFailedDoesNotPassAnyMore) {
  CheckList list;
  list.fail("lower_bound", "first");
  list.pass("lower_bound");
  list.pass_all();
  list.pass_before("reference_agreement");
  EXPECT_EQ(outcomes(list)["lower_bound"], CheckOutcome::failed);
  EXPECT_EQ(outcomes(list)["hidden_shapes"], CheckOutcome::passed);
}

TEST(CheckList, PassingBeforeOneLeavesItAndTheRest) {
  CheckList list;
  list.pass_before("completion");
  EXPECT_EQ(outcomes(list)["load"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["libraries"], CheckOutcome::passed);
  EXPECT_EQ(outcomes(list)["completion"], CheckOutcome::not_run);
}

TEST(CheckList, ACheckThatThereIsNotIsABrokenInvariant) {
  CheckList list;
  EXPECT_THROW(list.fail("no_such_check", ""), std::logic_error);
}

TEST(CheckList, EveryVerdictHasACheckThatExists) {
  for (int i = 1; i < 13; ++i) {
    CheckList list;
    EXPECT_NO_THROW(list.fail(check_behind(static_cast<Verdict>(i)), "x")) << i;
  }
}

const LibraryUse runtime_only = {{"libm.so.6", "libc.so.6"}, {"libnvidia-ptxjitcompiler.so.1"}};

TEST(ForbiddenLibrary, IsNoneWhereTheProblemAllowsAny) {
  EXPECT_FALSE(forbidden_library(Libraries::any, {{"libcublas.so.13"}, {"libz.so.1"}}).has_value());
}

TEST(ForbiddenLibrary, IsNoneOfRuntimeAndDriver) {
  EXPECT_FALSE(forbidden_library(Libraries::none, runtime_only).has_value());
  EXPECT_FALSE(forbidden_library(Libraries::none, {}).has_value());
}

TEST(ForbiddenLibrary, IsTheFirstThatIsLinkedOrOpened) {
  LibraryUse used = runtime_only;
  used.opened.push_back("libcublas.so.13");
  EXPECT_EQ(forbidden_library(Libraries::none, used),
            "opens libcublas.so.13, and the problem allows no libraries");
  used.linked.push_back("libgmp.so.10");
  EXPECT_EQ(forbidden_library(Libraries::none, used),
            "links libgmp.so.10, and the problem allows no libraries");
}

// A candidate that a contest of the test runs.
class LibrariesOfACandidate : public testing::Test {
 protected:
  CandidateRecord run(Libraries allowed) {
    problem_.libraries = allowed;
    Session session{contest_, problem_, 7, Effort::quick, {}, stages_, [](const std::string&) {}};
    BuildOutcome built;
    built.status = BuildStatus::built;
    Case bound;
    bound.name = "tiny";
    auto record = run_candidate(session, built, {{bound, ""}}, {});
    EXPECT_TRUE(record.ok()) << to_string(record.errors());
    return record ? *record : CandidateRecord{};
  }

  static CheckOutcome outcome(const CandidateRecord& record) {
    for (const Check& check : record.checks) {
      if (check.name == "libraries") return check.outcome;
    }
    return CheckOutcome::not_run;
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  test::FakeContest contest_{clock_};
  Problem problem_;
};

TEST_F(LibrariesOfACandidate, AreRecordedAndAllowedByDefault) {
  contest_.opened = {"libz.so.1"};
  const CandidateRecord record = run(Libraries::any);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
  EXPECT_THAT(record.libraries.opened, ElementsAre("libz.so.1"));
}

TEST_F(LibrariesOfACandidate, EndTheRunWhereTheyAreForbidden) {
  contest_.opened = {"libnvidia-nvvm.so.4", "libz.so.1"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::cheating);
  EXPECT_EQ(outcome(record), CheckOutcome::failed);
  EXPECT_THAT(record.message, HasSubstr("opens libz.so.1"));
  EXPECT_THAT(record.libraries.opened, ElementsAre("libnvidia-nvvm.so.4", "libz.so.1"));
  EXPECT_THAT(record.cases, IsEmpty());
  EXPECT_TRUE(contest_.retired);
}

TEST_F(LibrariesOfACandidate, PassWhereNoneIsForbiddenAndNoneIsUsed) {
  contest_.opened = {"libnvidia-nvvm.so.4"};
  const CandidateRecord record = run(Libraries::none);
  EXPECT_EQ(record.verdict, Verdict::accepted) << record.message;
  EXPECT_EQ(outcome(record), CheckOutcome::passed);
}

}  // namespace kgrade::verdict_test
