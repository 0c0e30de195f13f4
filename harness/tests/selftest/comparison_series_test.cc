#include "selftest/comparison_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/support/fake_contest.h"

namespace kgrade::test {

// A contest in which a kernel takes as long as it should, plus what a test adds.
class ScriptedContest : public FakeContest {
 public:
  using FakeContest::FakeContest;

  static constexpr double launch_ms = 0.002;
  static constexpr double ms_per_length = 1e-5;
  static double time_of(std::int64_t length) {
    return launch_ms + ms_per_length * static_cast<double>(length);
  }

  // The time of a call, relative to its nominal length.
  std::function<double(Role, const Draw&)> factor = [](Role, const Draw&) { return 1.0; };
  std::map<Role, std::int64_t> lengths;  // of the cases that are lent
  std::string kernel;                    // of the case lent last
  int starts = 0;                        // anew
  bool dead = false;                     // the second side

  Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) override {
    lengths[role] = bound.integers.at("length");
    kernel = bound.name;
    return FakeContest::lend(role, bound, launches);
  }

  CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience,
                     std::span<const InputEdit> edits = {}) override {
    const double ms = time_of(lengths.at(role)) * factor(role, draw);
    (role == Role::reference ? reference_ms : candidate_ms) = {ms};
    return FakeContest::call_as(role, kind, draw, patience, edits);
  }

  Result<Answer> start_anew(Patience first, Patience second) override {
    ++starts;
    dead = false;
    return FakeContest::start_anew(first, second);
  }
  bool candidate_alive() const override { return !dead && FakeContest::candidate_alive(); }
};

}  // namespace kgrade::test

namespace kgrade::selftest {
namespace comparison_series_test {

using test::ScriptedContest;
using testing::HasSubstr;

TEST(SelftestPlan, SpreadsComparisonsEvenly) {
  const auto plan = plan_comparisons(10, 205, 60, 7);
  std::map<std::size_t, int> same;
  std::map<std::pair<std::size_t, double>, int> slowed;
  for (const PlannedComparison& planned : plan) {
    if (planned.added == 0) {
      same[planned.kernel] += 1;
    } else {
      slowed[{planned.kernel, planned.added}] += 1;
    }
  }
  EXPECT_EQ(plan.size(), 265u);
  for (std::size_t kernel = 0; kernel < 10; ++kernel) {
    EXPECT_EQ(same[kernel], kernel < 5 ? 21 : 20);
    for (const double added : slow_downs) EXPECT_EQ((slowed[{kernel, added}]), 2);
  }
}

TEST(SelftestPlan, FewSlowDownsHaveAllSizesAmongThem) {
  std::set<double> added;
  for (const PlannedComparison& planned : plan_comparisons(3, 0, 3, 1)) added.insert(planned.added);
  EXPECT_EQ(added, (std::set<double>{0.01, 0.02, 0.05}));
}

TEST(SelftestPlan, TheSeedDrawsTheOrder) {
  const auto plan = plan_comparisons(10, 40, 40, 7);
  EXPECT_EQ(plan, plan_comparisons(10, 40, 40, 7));
  auto other = plan_comparisons(10, 40, 40, 8);
  EXPECT_NE(plan, other);
  EXPECT_TRUE(std::is_permutation(plan.begin(), plan.end(), other.begin(), other.end()));
  EXPECT_TRUE(plan_comparisons(0, 40, 40, 7).empty());
}

TEST(SelftestPlan, EveryComparisonHasASeedOfItsOwn) {
  std::set<std::uint64_t> seeds;
  for (std::size_t number = 0; number < 1000; ++number) seeds.insert(seed_of_comparison(7, number));
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_EQ(seed_of_comparison(7, 3), seed_of_comparison(7, 3));
  EXPECT_NE(seed_of_comparison(7, 3), seed_of_comparison(8, 3));
}

TEST(SelftestPlan, TheForecastLearnsFromWhatWasDone) {
  Forecast forecast({1, 5});
  const std::vector<PlannedComparison> rest = {{0, 0}, {0, 0.01}, {1, 0}};
  EXPECT_DOUBLE_EQ(forecast.seconds_for(rest), 7);
  forecast.took(0, 2);
  forecast.took(0, 4);
  EXPECT_DOUBLE_EQ(forecast.seconds_for(rest), 11);
  EXPECT_DOUBLE_EQ(forecast.seconds_for({}), 0);
}

class ComparisonSeriesTest : public testing::Test {
 protected:
  ComparisonSeriesTest() {
    record_.seed = 7;
    record_.goal = goal_for(Effort::normal);
    record_.device = contest_.info;
    options_.kernels = *select_kernels({"arithmetic-20us", "arithmetic-100us", "arithmetic-1ms"});
    options_.comparisons = 12;
    options_.free_bytes = std::uint64_t{1} << 30;
    options_.progress = [this](const std::string& what) { said_.push_back(what); };
  }

  std::optional<Error> try_run(Watch watch = {}) {
    record_.device = contest_.info;
    ComparisonSeries series(contest_, problem_, options_, stages_, record_, watch);
    auto error = series.run();
    conclude(record_);
    return error;
  }
  void run(Watch watch = {}) {
    const auto error = try_run(watch);
    EXPECT_FALSE(error) << to_string(*error);
  }

  // The second side is slower in these comparisons.
  void slow_down(const std::vector<std::size_t>& numbers, double factor) {
    contest_.factor = [this, numbers, factor](Role role, const Draw& draw) {
      const bool slow = std::any_of(numbers.begin(), numbers.end(), [&](std::size_t number) {
        return draw.seed == seed_of_comparison(record_.seed, number);
      });
      return role == Role::candidate && slow ? factor : 1.0;
    };
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  ScriptedContest contest_{clock_};
  Problem problem_ = selftest_problem();
  SeriesOptions options_;
  SelftestRecord record_;
  std::vector<std::string> said_;
};

TEST_F(ComparisonSeriesTest, TheSameWorkTakesTheSameTime) {
  run();
  EXPECT_EQ(record_.comparisons.size(), 12u);
  EXPECT_EQ(record_.same.called.trials, 12u);
  EXPECT_EQ(record_.same.called.count, 0u);
  EXPECT_EQ(record_.same.excludes_one.count, 0u);
  EXPECT_DOUBLE_EQ(record_.same.large_error, 0);
  for (const SelftestComparison& comparison : record_.comparisons) {
    EXPECT_EQ(comparison.ratio->statement(), Statement::same);
    EXPECT_EQ(comparison.blocks, record_.goal.first_look);
    EXPECT_EQ(comparison.end, BlockEnd::precise);
    EXPECT_EQ(*comparison.added, 0);
    EXPECT_EQ(comparison.length, comparison.second_length);
    EXPECT_GT(comparison.seconds, 0);
  }
  for (const SelftestKernel& kernel : record_.kernels) EXPECT_EQ(kernel.same.comparisons, 4u);
}

TEST_F(ComparisonSeriesTest, FalseCallsAreCountedOneByOne) {
  slow_down({2, 3, 11}, 1.03);
  run();
  EXPECT_EQ(record_.same.called.count, 3u);
  EXPECT_EQ(record_.same.excludes_one.count, 3u);
  std::size_t of_kernels = 0;
  for (const SelftestKernel& kernel : record_.kernels) of_kernels += kernel.same.called.count;
  EXPECT_EQ(of_kernels, 3u);
  EXPECT_EQ(record_.comparisons[2].ratio->statement(), Statement::slower);
  EXPECT_NEAR(record_.comparisons[2].ratio->ratio, 1 / 1.03, 1e-12);
  EXPECT_EQ(record_.criteria[0].outcome, CriterionOutcome::fails);
}

TEST_F(ComparisonSeriesTest, ADifferenceWithinTheMarginIsNoFalseCallButExcludesOne) {
  slow_down({5}, 1.004);
  run();
  EXPECT_EQ(record_.same.called.count, 0u);
  EXPECT_EQ(record_.same.excludes_one.count, 1u);
  EXPECT_EQ(record_.comparisons[5].ratio->statement(), Statement::same);
}

TEST_F(ComparisonSeriesTest, WhatIsAddedIsSeenToTheDigit) {
  options_.comparisons = 0;
  options_.slowdowns = 9;
  run();
  EXPECT_EQ(record_.slowed.size(), 3u);
  for (const SelftestComparison& comparison : record_.comparisons) {
    const auto more = static_cast<double>(comparison.second_length - comparison.length);
    const double first = ScriptedContest::time_of(comparison.length);
    EXPECT_NEAR(*comparison.added, more * ScriptedContest::ms_per_length / first, 1e-9);
    EXPECT_NEAR(*comparison.added, comparison.asked, 0.5 * ScriptedContest::ms_per_length / first);
    EXPECT_NEAR(1 / comparison.ratio->ratio - 1, *comparison.added, 1e-9);
    // 1 % is the margin itself: rounding decides.
    if (std::abs(*comparison.added - 0.01) < 1e-6) continue;
    EXPECT_EQ(comparison.ratio->statement() == Statement::slower, *comparison.added > 0.01)
        << *comparison.added;
  }
  EXPECT_EQ(record_.slowed[1].seen.count, 3u);
  EXPECT_EQ(record_.slowed[2].seen.count, 3u);
  for (const SlowedDown& slowed : record_.slowed) EXPECT_NEAR(slowed.median_bias, 0, 1e-9);
}

TEST_F(ComparisonSeriesTest, AMachineThatSpeedsUpTheSlowedSideIsFoundOut) {
  options_.comparisons = 0;
  options_.slowdowns = 36;
  // All draws but the calibration's, which have the seed of the run.
  contest_.factor = [this](Role role, const Draw& draw) {
    return role == Role::candidate && draw.seed != record_.seed ? 0.98 : 1.0;
  };
  run();
  EXPECT_EQ(record_.slowed[1].seen.count, 0u);
  EXPECT_EQ(record_.slowed[1].seen.trials, 12u);
  EXPECT_NEAR(record_.slowed[1].median_bias, 0.98 * 1.02 - 1.02, 1e-5);
  EXPECT_EQ(record_.criteria[2].outcome, CriterionOutcome::fails);
}

// About normal, with a deviation of 1: the same numbers with every library.
class Noise {
 public:
  double next() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits_()) / 4294967296.0;
    return sum - 6;
  }

 private:
  std::mt19937 bits_{1};
};

TEST_F(ComparisonSeriesTest, TheProtocolHoldsOnAMachineWithHonestNoise) {
  Noise noise;
  contest_.factor = [&](Role, const Draw&) { return 1 + 0.01 * noise.next(); };
  contest_.seconds_per_call = 0.001;
  options_.kernels = all_kernels();
  options_.comparisons = 200;
  options_.slowdowns = 150;
  run();
  EXPECT_EQ(record_.same.called.trials, 200u);
  EXPECT_EQ(record_.same.called.count, 0u);
  EXPECT_TRUE(all_hold(record_)) << record_.same.excludes_one.count << " intervals exclude 1";
  EXPECT_LT(record_.same.median_half_width, 0.005);
  EXPECT_GT(record_.same.median_half_width, 0.003);
  for (const SlowedDown& slowed : record_.slowed) EXPECT_NEAR(slowed.median_bias, 0, 0.0015);
}

TEST_F(ComparisonSeriesTest, TheProtocolDoesNotHoldWhereOneSideIsAtADisadvantage) {
  Noise noise;
  contest_.factor = [&](Role role, const Draw&) {
    return (role == Role::candidate ? 1.006 : 1) + 0.01 * noise.next();
  };
  contest_.seconds_per_call = 0.001;
  run();
  EXPECT_EQ(record_.same.called.count, 0u) << "within the margin";
  EXPECT_GT(record_.same.excludes_one.value(), 0.5);
  EXPECT_EQ(record_.criteria[1].outcome, CriterionOutcome::fails);
  EXPECT_TRUE(any_fails(record_));
}

TEST_F(ComparisonSeriesTest, ShortKernelsRunSeveralTimesASample) {
  options_.kernels = *select_kernels({"arithmetic-3us"});
  options_.comparisons = 1;
  run();
  EXPECT_EQ(record_.comparisons[0].launches, 4);
  EXPECT_NEAR(record_.comparisons[0].first.median, 0.003, 1e-5);
  EXPECT_TRUE(record_.kernels[0].overhead_limited);
}

TEST_F(ComparisonSeriesTest, TheOracleHasHardlyAnyWork) {
  options_.kernels = *select_kernels({"copy-500us"});
  options_.comparisons = 1;
  run();
  EXPECT_EQ(contest_.lengths[Role::oracle],
            sizes_of(options_.kernels[0], contest_.info, options_.free_bytes).least_length);
  EXPECT_GT(contest_.lengths[Role::reference], contest_.lengths[Role::oracle]);
}

TEST_F(ComparisonSeriesTest, ProcessesStayUnlessNewOnesAreAskedFor) {
  run();
  EXPECT_EQ(contest_.starts, 0);
  options_.fresh = true;
  record_.comparisons.clear();
  record_.kernels.clear();
  run();
  EXPECT_EQ(contest_.starts, 12);
}

TEST_F(ComparisonSeriesTest, OneThatDiesIsStartedAnew) {
  contest_.dead = true;
  run();
  EXPECT_EQ(contest_.starts, 1);
  EXPECT_EQ(record_.same.comparisons, 12u);
}

TEST_F(ComparisonSeriesTest, RankedTakesSeveralProcesses) {
  record_.goal = goal_for(Effort::ranked);
  options_.comparisons = 2;
  run();
  EXPECT_EQ(contest_.starts, 8);
  EXPECT_EQ(record_.comparisons[0].ratio->method, Method::across_processes);
  EXPECT_EQ(record_.comparisons[0].ratio->count, 5u);
  EXPECT_EQ(record_.comparisons[0].blocks, 5 * usual_first_look);
}

TEST_F(ComparisonSeriesTest, WhenTheTimeIsOverThoseThatAreDoneCount) {
  options_.most_seconds = 0;
  run();
  EXPECT_EQ(record_.comparisons.size(), 1u);
  ASSERT_FALSE(record_.notes.empty());
  EXPECT_THAT(record_.notes.back(), testing::HasSubstr("the time was over after 1 of"));
}

TEST_F(ComparisonSeriesTest, ShortKernelsTakeSeveralProcesses) {
  contest_.info.process_offset_ms = 1e6;
  options_.comparisons = 2;
  run();
  EXPECT_EQ(contest_.starts, 6);
  EXPECT_EQ(record_.comparisons[0].ratio->method, Method::pooled_processes);
  EXPECT_EQ(record_.comparisons[0].ratio->count, 4u);
}

TEST_F(ComparisonSeriesTest, TheBudgetEndsAComparison) {
  record_.goal.budget_seconds = 1;
  contest_.seconds_per_call = 0.03;
  int call = 0;
  contest_.factor = [&](Role, const Draw&) { return 1 + 0.2 * (call++ % 7); };
  options_.comparisons = 1;
  run();
  EXPECT_EQ(record_.comparisons[0].end, BlockEnd::budget_spent);
  EXPECT_NEAR(static_cast<double>(record_.comparisons[0].blocks), 6, 1);
}

class HotWatch : public BlockWatch {
 public:
  std::string end_block() override { return "thermal slowdown"; }
};

TEST_F(ComparisonSeriesTest, DisturbedComparisonsAreCountedAndGiveNoFigure) {
  HotWatch watch;
  run({&watch, nullptr});
  EXPECT_EQ(record_.disturbed, 12u);
  EXPECT_EQ(record_.refused, 0u);
  EXPECT_EQ(record_.same.called.trials, 0u);
  EXPECT_EQ(record_.comparisons[0].void_blocks, 10u);
  EXPECT_THAT(record_.comparisons[0].problem, HasSubstr("thermal slowdown"));
  EXPECT_EQ(record_.criteria[0].outcome, CriterionOutcome::too_few);
}

TEST_F(ComparisonSeriesTest, WhatAGradingWouldRefuseGivesNoFigure) {
  contest_.candidate_comparison = test::outputs_off_by(0.5);
  run();
  EXPECT_EQ(record_.refused, 12u);
  EXPECT_THAT(record_.comparisons[0].problem, testing::StartsWith("wrong_answer: "));
  EXPECT_EQ(record_.same.called.trials, 0u);
}

TEST_F(ComparisonSeriesTest, AFailureKeepsWhatWasFoundBefore) {
  contest_.before_call = [this](Role, const Draw& draw) {
    if (draw.seed == seed_of_comparison(record_.seed, 5)) contest_.oracle_report.call.error = 700;
  };
  const auto error = try_run();
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("the oracle fails"));
  EXPECT_EQ(record_.comparisons.size(), 5u);
  EXPECT_EQ(record_.same.called.trials, 5u);
}

TEST_F(ComparisonSeriesTest, WhereTimesAreNoSpeedEverythingRunsOnce) {
  contest_.info.measures_speed = false;
  options_.slowdowns = 3;
  run();
  EXPECT_EQ(record_.comparisons.size(), 15u);
  for (const SelftestComparison& comparison : record_.comparisons) {
    EXPECT_TRUE(comparison.ratio);
    EXPECT_FALSE(comparison.added);
    EXPECT_EQ(comparison.blocks, 1u);
    EXPECT_EQ(comparison.second_length, std::llround(200 * (1 + comparison.asked)));
  }
  EXPECT_FALSE(record_.judged());
}

TEST_F(ComparisonSeriesTest, ProgressSaysWhatIsLeft) {
  run();
  EXPECT_THAT(said_, testing::Contains("an empty kernel"));
  EXPECT_THAT(said_, testing::Contains(HasSubstr("1 of 12, ")));
  EXPECT_THAT(said_.back(), HasSubstr("12 of 12, less than a minute left: arithmetic-"));
  EXPECT_EQ(time_left(61), "about 2 min left");
}

class KernelCalibrationTest : public testing::Test {
 protected:
  Result<KernelCalibration> calibrate(const std::string& name) {
    return calibrator_.calibrate(select_kernels({name})->front());
  }

  test::FakeClock clock_;
  ScriptedContest contest_{clock_};
  Problem problem_ = selftest_problem();
  KernelCalibrator calibrator_{contest_, problem_, 7, std::uint64_t{1} << 30};
};

TEST_F(KernelCalibrationTest, FindsTheLengthThatTakesTheTime) {
  for (const Kernel& kernel : all_kernels()) {
    const auto found = calibrator_.calibrate(kernel);
    ASSERT_TRUE(found) << to_string(found.errors());
    EXPECT_NEAR(found->ms, kernel.target_ms, 0.5 * ScriptedContest::ms_per_length + 1e-12) << kernel.name;
    EXPECT_DOUBLE_EQ(found->ms, ScriptedContest::time_of(found->length)) << kernel.name;
    EXPECT_NEAR(found->ms_per_length, ScriptedContest::ms_per_length, 1e-12) << kernel.name;
  }
}

TEST_F(KernelCalibrationTest, CorrectsItselfWhereTimeIsNotProportional) {
  // Short runs pay less for a unit of work than long ones.
  contest_.factor = [this](Role role, const Draw&) { return contest_.lengths[role] > 2000 ? 1.5 : 1.0; };
  const auto found = calibrate("arithmetic-100us");
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->ms, 0.100, 0.002);
  EXPECT_NEAR(found->ms_per_length, 1.5e-5, 1e-9);
}

TEST_F(KernelCalibrationTest, AKernelThatCannotBeSoShortIsAsShortAsItCan) {
  contest_.factor = [](Role, const Draw&) { return 10.0; };
  const auto found = calibrate("arithmetic-3us");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 0);
  EXPECT_DOUBLE_EQ(found->ms, 0.020);
  EXPECT_NEAR(found->ms_per_length, 1e-4, 1e-12);
}

TEST_F(KernelCalibrationTest, TheFloorLeavesOutFirstCalls) {
  int calls = 0;
  contest_.factor = [&](Role, const Draw&) { return ++calls <= 2 ? 100.0 : 1.0; };
  const auto floor = calibrator_.measure_floor();
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->size(), 400u);
  EXPECT_THAT(*floor, testing::Each(testing::DoubleEq(ScriptedContest::launch_ms)));
}

TEST_F(KernelCalibrationTest, WhereTimesAreNoSpeedNothingIsTimed) {
  contest_.info.measures_speed = false;
  const auto found = calibrate("arithmetic-100ms");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 200);
  EXPECT_EQ(found->ms, 0);
  EXPECT_EQ(contest_.order, "");
}

TEST_F(KernelCalibrationTest, AFaultIsAnError) {
  contest_.candidate_report.call.error = 700;
  contest_.candidate_report.fault = Fault::ended;
  const auto found = calibrate("arithmetic-3us");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("a kernel of the self-test fails"));
}

TEST_F(KernelCalibrationTest, AClockThatDoesNotRunIsAnError) {
  contest_.factor = [this](Role role, const Draw&) {
    return 1 / ScriptedContest::time_of(contest_.lengths[role]);
  };
  const auto found = calibrate("arithmetic-3us");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("takes no time"));
}

}  // namespace comparison_series_test
}  // namespace kgrade::selftest
