// What a measured case compares.
#include "grade/measured_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/case_fixture.h"

namespace kgrade {
namespace measured_case_test {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class MeasuredCaseTest : public test::CaseFixture {
 protected:
  static std::vector<std::string> opponents(const CaseRecord& record) {
    std::vector<std::string> names;
    for (const Speedup& speedup : record.speedups) names.push_back(speedup.against);
    return names;
  }
  static const ProcessBlocks& blocks_of(const CaseRecord& record) {
    return record.measurement->processes.front();
  }
};

TEST_F(MeasuredCaseTest, TheSpeedupIsKnownAfterThirtyEqualBlocks) {
  contest_.candidate_ms = {1000, 1};
  contest_.reference_ms = {1000, 2};
  const CaseRecord record = run();
  EXPECT_EQ(blocks_of(record).blocks.size(), 30u);
  EXPECT_EQ(blocks_of(record).end, BlockEnd::precise);
  EXPECT_THAT(candidate_ms(record), testing::AllOf(testing::SizeIs(60), Each(1)));
  EXPECT_THAT(reference_ms(record), testing::AllOf(testing::SizeIs(60), Each(2)));
  ASSERT_THAT(opponents(record), ElementsAre("reference"));
  const SpeedRatio& ratio = record.speedups.front().ratio;
  EXPECT_DOUBLE_EQ(ratio.ratio, 2);
  EXPECT_DOUBLE_EQ(ratio.interval->low, 2);
  EXPECT_EQ(ratio.statement(), Statement::faster);
  EXPECT_EQ(ratio.count, 30u);
}

// What few blocks leave out is samples, not checks: each is captured, and some contents are hardly new.
TEST_F(MeasuredCaseTest, AQuickSpeedupIsKnownAfterTwoEqualBlocks) {
  effort_ = Effort::quick;
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_EQ(blocks_of(record).blocks.size(), 2u);
  EXPECT_EQ(blocks_of(record).end, BlockEnd::precise);
  EXPECT_EQ(record.speedups.front().ratio.count, 2u);
  EXPECT_EQ(record.speedups.front().ratio.statement(), Statement::faster);
  for (const char uncaptured : {'C', 'R'})
    EXPECT_THAT(contest_.order, testing::Not(testing::Contains(uncaptured)));
  EXPECT_THAT(contest_.draws, testing::Contains(testing::Truly(is_small_change)));
  EXPECT_THAT(repeated_ms(record), testing::SizeIs(2));
}

TEST_F(MeasuredCaseTest, WithoutEnoughBlocksThereIsNoStatement) {
  const CaseRecord record = run_briefly();
  EXPECT_EQ(blocks_of(record).end, BlockEnd::budget_spent);
  EXPECT_DOUBLE_EQ(record.speedups.front().ratio.ratio, 2);
  EXPECT_EQ(record.speedups.front().ratio.statement(), Statement::inconclusive);
}

TEST_F(MeasuredCaseTest, TheFastestBaselineOfTheSameClassCounts) {
  baselines_ = {{"slow", Precision::fp32, 3}, {"fast", Precision::fp32, 2}, {"coarse", Precision::tf32, 1}};
  contest_.baseline_ms = {1.5};
  const CaseRecord record = run();
  EXPECT_THAT(arm_names(record), ElementsAre("reference", "fast", "slow", "coarse", "candidate"));
  EXPECT_THAT(opponents(record), ElementsAre("reference", "fast"));
  EXPECT_EQ(record.headline()->against, "fast");
  EXPECT_DOUBLE_EQ(record.speedups[0].ratio.ratio, 2);
  EXPECT_DOUBLE_EQ(record.speedups[1].ratio.ratio, 1.5);
  for (const Block& block : blocks_of(record).blocks) EXPECT_EQ(block.order.size(), 5u);
  ASSERT_EQ(record.others.size(), 2u);
  EXPECT_EQ(record.others[0].against, "slow");
  EXPECT_EQ(record.others[1].against, "coarse");
  EXPECT_DOUBLE_EQ(record.others[1].ratio.ratio, 1.5);
}

TEST_F(MeasuredCaseTest, WithoutRoomForABaselineThereIsNone) {
  baselines_ = {{"large", Precision::fp32, 2}};
  contest_.has_room_for_baselines = false;
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_FALSE(contest_.retired);
  EXPECT_THAT(arm_names(record), ElementsAre("reference", "candidate"));
}

TEST_F(MeasuredCaseTest, ABaselineOfAnotherClassIsMeasuredAndDoesNotCount) {
  baselines_ = {{"coarse", Precision::tf32, 1}};
  const CaseRecord record = run();
  EXPECT_THAT(arm_names(record), ElementsAre("reference", "coarse", "candidate"));
  EXPECT_THAT(opponents(record), ElementsAre("reference"));
  EXPECT_EQ(record.headline()->against, "reference");
  ASSERT_EQ(record.others.size(), 1u);
  EXPECT_EQ(record.others[0].against, "coarse");
}

TEST_F(MeasuredCaseTest, ShortLaunchesGoTogetherIntoASample) {
  contest_.candidate_ms = {0.004};
  contest_.reference_ms = {0.008};
  const CaseRecord record = run();
  EXPECT_EQ(blocks_of(record).launches, 3);
  EXPECT_THAT(contest_.lent_launches, ElementsAre(1, 3)) << "one until it is known how short they are";
  EXPECT_EQ(contest_.draws.front().launches, 1u);
  EXPECT_THAT(candidate_ms(record), Each(testing::DoubleEq(0.004))) << "times are those of one launch";
  EXPECT_THAT(reference_ms(record), Each(testing::DoubleEq(0.008)));
  for (const Draw& draw : contest_.draws) EXPECT_LE(draw.launches, 3u);
  expect_accepted(record);
}

TEST_F(MeasuredCaseTest, LongCallsWarmUpAndRepeatOnce) {
  for (const auto& [fastest_ms, times] : {std::pair{9.0, 2u}, {11.0, 1u}}) {
    contest_.candidate_ms = {fastest_ms + 1};
    contest_.reference_ms = {fastest_ms};
    const CaseRecord record = run();
    EXPECT_THAT(repeated_ms(record), testing::SizeIs(times)) << fastest_ms;
    EXPECT_THAT(unmeasured_ms(record), testing::SizeIs(times)) << fastest_ms;
  }
}

// A candidate that does the work of a launch when the next one comes must be wrong somewhere.
TEST_F(MeasuredCaseTest, SomeCallsHaveFewerLaunches) {
  launches_ = 4;
  contest_.seconds_per_call = 0.02;
  for (int i = 0; i < 300; ++i) contest_.candidate_ms.push_back(1 + 0.25 * (i * 7 % 5));
  run();
  std::set<std::uint32_t> of_changes;
  for (const Draw& draw : contest_.draws) {
    if (is_small_change(draw)) {
      of_changes.insert(draw.launches);
    } else {
      EXPECT_THAT(draw.launches, testing::AnyOf(1u, 4u));
    }
  }
  EXPECT_GT(of_changes.size(), 1u);
  EXPECT_LT(*of_changes.begin(), 4u);
}

TEST_F(MeasuredCaseTest, OneThatIsWrongThereIsToldWhy) {
  launches_ = 4;
  contest_.before_call = [this](Role, const Draw& draw) {
    const bool fewer = draw.change != 0 && draw.launches < 4;
    contest_.candidate_comparison = fewer ? test::outputs_off_by(0.5) : test::equal_outputs();
  };
  contest_.seconds_per_call = 0.02;
  for (int i = 0; i < 300; ++i) contest_.candidate_ms.push_back(1 + 0.25 * (i * 7 % 5));
  const CaseRecord record = run();
  expect_failed(record, Verdict::wrong_answer, "outputs_match");
  EXPECT_THAT(record.message, HasSubstr("in a call of fewer launches than those before"));
}

TEST_F(MeasuredCaseTest, WhatTheFirstCallTakesDecidesNothing) {
  contest_.candidate_ms = {5, 0.004};
  contest_.reference_ms = {5, 0.008};
  EXPECT_EQ(blocks_of(run()).launches, 3);
}

TEST_F(MeasuredCaseTest, OneWhosePrecisionFallsIsNotCompared) {
  problem_.precision = "tf32";
  baselines_ = {{"exact", Precision::fp32, 2}};
  contest_.before_call = [this](Role, const Draw& draw) {
    contest_.candidate_comparison = draw.index > 3 ? test::outputs_off_by(3e-4) : test::equal_outputs();
  };
  const CaseRecord record = run();
  expect_failed(record, Verdict::unstable, "precision");
  EXPECT_THAT(record.message, HasSubstr("it began with fp32 precision and went on with tf32"));
  EXPECT_TRUE(record.speedups.empty());
}

// Only one that counts was chosen by the candidate's class.
TEST_F(MeasuredCaseTest, OneWhosePrecisionFallsIsComparedBesideOthersClasses) {
  problem_.precision = "tf32";
  baselines_ = {{"coarse", Precision::bf16, 2}};
  contest_.before_call = [this](Role, const Draw& draw) {
    contest_.candidate_comparison = draw.index > 3 ? test::outputs_off_by(3e-4) : test::equal_outputs();
  };
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_EQ(record.precision, Precision::tf32);
}

// PyTorch keeps memory that it has used: less is left for its arms than when it was tried.
TEST_F(MeasuredCaseTest, ABaselineThatFailsBesideTheOthersIsLeftOut) {
  baselines_ = {{"exact", Precision::fp32, 2}};
  contest_.baseline_fails = true;
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_THAT(arm_names(record), ElementsAre("reference", "candidate"));
  EXPECT_THAT(record.notes,
              ElementsAre(AllOf(HasSubstr("not compared with exact: "), HasSubstr("out of memory"))));
}

// The verdict is the candidate's own, and all blocks that are kept have the same arms.
TEST_F(MeasuredCaseTest, ABaselineThatFailsWithinTheBlocksIsLeftOutAndTheyBeginAnew) {
  baselines_ = {{"fast", Precision::fp32, 1.5}, {"slow", Precision::fp32, 2}};
  for (const int call : {2, 4, 7, 30}) {  // 0 and 1 warm up; two in each round
    SCOPED_TRACE(call);
    contest_.failing_baseline_call = call;
    contest_.baseline_calls = 0;
    contest_.draws.clear();
    const CaseRecord record = run();
    expect_accepted(record);
    ASSERT_EQ(retired_baselines_.size(), 1u);
    const std::string lost = retired_baselines_.front();
    const std::string left = lost == "fast" ? "slow" : "fast";
    EXPECT_THAT(arm_names(record), ElementsAre("reference", left, "candidate"));
    EXPECT_THAT(opponents(record), ElementsAre("reference", left)) << "the next of its class counts";
    EXPECT_THAT(record.notes, ElementsAre(HasSubstr("not compared with " + lost + ": ")));
    EXPECT_EQ(blocks_of(record).blocks.size(), 30u);
    for (const Block& block : blocks_of(record).blocks) EXPECT_EQ(block.samples.size(), 3u);
  }
}

// What a candidate has seen before says nothing about what comes.
TEST_F(MeasuredCaseTest, BlocksThatBeginAnewHaveNewContents) {
  baselines_ = {{"exact", Precision::fp32, 1.5}};
  contest_.failing_baseline_call = 21;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::size_t oracle_calls = 0;
  contest_.before_call = [&](Role role, const Draw& draw) {
    if (role != Role::oracle) return;
    ++oracle_calls;
    seen.emplace(draw.index, draw.change);
  };
  expect_accepted(run());
  EXPECT_EQ(seen.size(), oracle_calls);
}

TEST_F(MeasuredCaseTest, BaselinesThatAllFailLeaveTheReference) {
  baselines_ = {{"fast", Precision::fp32, 1.5}, {"slow", Precision::fp32, 2}};
  contest_.before_call = [this](Role, const Draw&) { contest_.baseline_fails = contest_.baseline_calls > 5; };
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_THAT(arm_names(record), ElementsAre("reference", "candidate"));
  EXPECT_THAT(opponents(record), ElementsAre("reference"));
  EXPECT_EQ(record.notes.size(), 2u);
}

TEST_F(MeasuredCaseTest, FurtherProcessesHaveAsManyLaunchesAsTheFirst) {
  Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
  contest_.candidate_ms = {0.004};
  auto record = run_case(session, case_);
  ASSERT_TRUE(record.ok());
  contest_.candidate_ms = {1};
  ASSERT_FALSE(run_case_again(session, case_, *record));
  for (const ProcessBlocks& process : record->measurement->processes) EXPECT_EQ(process.launches, 3);
}

TEST_F(MeasuredCaseTest, WithoutRoomForMoreTensorsThereIsOneLaunch) {
  contest_.candidate_ms = {0.004};
  contest_.most_launches = 1;
  const CaseRecord record = run();
  EXPECT_EQ(blocks_of(record).launches, 1);
  expect_accepted(record);
}

TEST_F(MeasuredCaseTest, ManyTensorsLeaveRoomForFewLaunches) {
  case_.tensors.assign(20, {"t", 0, false, {1}, 1, {ResolvedInit::Kind::constant}});
  launches_ = 8;
  EXPECT_EQ(blocks_of(run()).launches, 3);
}

class ThermalWatch : public BlockWatch {
 public:
  std::string end_block() override { return ++blocks_ % 3 == 0 ? "hw_thermal" : ""; }

 private:
  int blocks_ = 0;
};

class SteadyWatch : public BlockWatch {
 public:
  bool has_seen_any() const override { return true; }
};

TEST_F(MeasuredCaseTest, ADeviceThatIsThrottledGivesNoSpeed) {
  ThermalWatch watch;
  watch_ = &watch;
  const CaseRecord record = run();
  expect_failed(record, Verdict::unstable, "steady_clocks");
  EXPECT_THAT(record.message, HasSubstr("3 of 10 blocks do not count: hw_thermal"));
  EXPECT_TRUE(record.speedups.empty());
  EXPECT_EQ(blocks_of(record).blocks.size(), 10u) << "the record keeps them all";
}

TEST_F(MeasuredCaseTest, OneThatIsWatchedAndSteadyPassesThatCheck) {
  expect_accepted(run());
  EXPECT_EQ(outcome("steady_clocks"), CheckOutcome::not_run);
  BlockWatch blind;
  watch_ = &blind;
  expect_accepted(run());
  EXPECT_EQ(outcome("steady_clocks"), CheckOutcome::not_run);
  SteadyWatch watch;
  watch_ = &watch;
  expect_accepted(run());
  EXPECT_EQ(outcome("steady_clocks"), CheckOutcome::passed);
}

TEST_F(MeasuredCaseTest, AFurtherProcessAddsItsBlocksAndCountsAsOneEstimate) {
  Session session{contest_, problem_, seed, Effort::ranked, limit_, stages_, [](const std::string&) {}};
  auto record = run_case(session, case_);
  ASSERT_TRUE(record.ok());
  for (const double ms : {1.0, 1.0, 0.5}) {
    contest_.candidate_ms = {ms};
    ASSERT_FALSE(run_case_again(session, case_, *record));
  }
  checks_ = session.checks;
  expect_accepted(*record);
  EXPECT_EQ(record->measurement->processes.size(), 4u);
  EXPECT_EQ(candidate_ms(*record).size(), 240u);
  const SpeedRatio& ratio = record->speedups.front().ratio;
  EXPECT_EQ(ratio.method, Method::across_processes);
  EXPECT_EQ(ratio.count, 4u);
  EXPECT_NEAR(ratio.ratio, std::pow(2 * 2 * 2 * 4, 0.25), 1e-12);
  EXPECT_EQ(ratio.statement(), Statement::faster);
}

// A library that does not start again is not the candidate's fault.
TEST_F(MeasuredCaseTest, ABaselineThatDoesNotStartAgainFailsNobody) {
  Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
  test::FakeBaselines baselines;
  baselines.by_case[case_.name] = {{"exact", Precision::fp32, 2}};
  baselines.can_activate = [](const std::string&, int process) { return process == 0; };
  session.baselines = &baselines;
  auto record = run_case(session, case_);
  ASSERT_TRUE(record.ok());
  ASSERT_EQ(record->speedups.size(), 2u);
  ASSERT_FALSE(run_case_again(session, case_, *record));
  checks_ = session.checks;
  expect_accepted(*record);
  EXPECT_EQ(record->measurement->processes.size(), 1u);
  EXPECT_EQ(record->speedups.size(), 2u);
  EXPECT_THAT(record->notes,
              ElementsAre("not compared with exact: it does not start again",
                          "the blocks of a further process do not count: it was not compared with exact"));
}

// One that is only beside the others costs them no process, whichever process lacks it.
TEST_F(MeasuredCaseTest, ABaselineThatIsLostInAProcessLeavesTheOthersAllProcesses) {
  for (const int lacking : {0, 1}) {
    SCOPED_TRACE(lacking);
    Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
    test::FakeBaselines baselines;
    baselines.by_case[case_.name] = {
        {"coarse", Precision::tf32, 1}, {"exact", Precision::fp32, 2}, {"slow", Precision::fp32, 3}};
    baselines.can_activate = [&](const std::string& name, int process) {
      return name != "coarse" || process != lacking;
    };
    session.baselines = &baselines;
    contest_.candidate_ms = {1};
    auto record = run_case(session, case_);
    ASSERT_TRUE(record.ok());
    for (const double ms : {0.5, 1.0}) {
      contest_.candidate_ms = {ms};
      ASSERT_FALSE(run_case_again(session, case_, *record));
    }
    checks_ = session.checks;
    expect_accepted(*record);
    EXPECT_THAT(arm_names(*record), ElementsAre("reference", "exact", "slow", "candidate"));
    ASSERT_EQ(record->measurement->processes.size(), 3u);
    for (const ProcessBlocks& process : record->measurement->processes) {
      for (const Block& block : process.blocks) {
        EXPECT_EQ(block.samples.size(), 4u);
        EXPECT_THAT(block.order, testing::UnorderedElementsAre(0, 1, 2, 3));
      }
    }
    EXPECT_THAT(opponents(*record), ElementsAre("reference", "exact"));
    EXPECT_NEAR(record->speedups[0].ratio.ratio, 2 * std::cbrt(2), 1e-12);
    EXPECT_NEAR(record->speedups[1].ratio.ratio, 1.5 * std::cbrt(2), 1e-12);
    ASSERT_EQ(record->others.size(), 1u);
    EXPECT_EQ(record->others[0].against, "slow");
    EXPECT_THAT(record->notes, ElementsAre("not compared with coarse: it does not start again",
                                           "coarse is left out: it was not compared in every process"));
  }
}

TEST_F(MeasuredCaseTest, OneWhosePrecisionDiffersBetweenProcessesIsUnstable) {
  problem_.precision = "tf32";
  Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
  test::FakeBaselines baselines;
  baselines.by_case[case_.name] = {{"exact", Precision::fp32, 2}};
  session.baselines = &baselines;
  auto record = run_case(session, case_);
  ASSERT_TRUE(record.ok());
  contest_.candidate_comparison = test::outputs_off_by(3e-4);
  ASSERT_FALSE(run_case_again(session, case_, *record));
  checks_ = session.checks;
  expect_failed(*record, Verdict::unstable, "precision");
}

TEST_F(MeasuredCaseTest, WhatAFurtherProcessFailsIsTheVerdict) {
  Session session{contest_, problem_, seed, effort_, limit_, stages_, [](const std::string&) {}};
  auto record = run_case(session, case_);
  ASSERT_TRUE(record.ok());
  contest_.candidate_comparison = test::outputs_off_by(0.5);
  ASSERT_FALSE(run_case_again(session, case_, *record));
  EXPECT_EQ(record->verdict, Verdict::wrong_answer);
  EXPECT_TRUE(record->speedups.empty());
}

}  // namespace measured_case_test
}  // namespace kgrade
