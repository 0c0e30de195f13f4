// Blocks, tested to the digit: the calls move the clock, and the test decides the times.
#include "measure/block_run.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <map>

#include "measure/speedup.h"

namespace kgrade::block_run_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class CallClock : public Clock {
 public:
  double now() const override { return now_; }
  double now_ = 50;
};

class BlockRunTest : public testing::Test, protected RoundPlayer, protected BlockWatch {
 protected:
  BlockRun run() { return run_blocks(plan_, *this, *this, clock_); }

  std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) override {
    orders_.push_back(order);
    clock_.now_ += seconds_per_round_;
    if (rounds_left_ == 0) return std::nullopt;
    --rounds_left_;
    std::vector<Sample> times;
    for (std::size_t arm = 0; arm < plan_.arms; ++arm) {
      times.emplace_back(time_(arm, orders_.size() - 1));
      times.back().kind.captured = captured_((orders_.size() - 1) / 2);
    }
    return times;
  }
  void begin_block() override { ++begun_; }
  std::string end_block() override {
    ++ended_;
    return voided_(ended_ - 1);
  }

  CallClock clock_;
  BlockPlan plan_{2, {{1, 0}}, {0.005, 1000}, 0, 7};
  double seconds_per_round_ = 0.5;
  int rounds_left_ = 100000;
  std::function<double(std::size_t arm, std::size_t round)> time_ = [](std::size_t arm, std::size_t) {
    return arm == 0 ? 2.0 : 1.0;
  };
  std::function<bool(std::size_t block)> captured_ = [](std::size_t) { return true; };
  std::function<std::string(int block)> voided_ = [](int) { return ""; };
  std::vector<std::vector<std::size_t>> orders_;
  int begun_ = 0;
  int ended_ = 0;
};

// Half a percent of noise in the candidate's times, which takes many blocks to average away.
double noisy(std::size_t arm, std::size_t round) {
  if (arm == 0) return 2;
  return 1 + 0.3 * static_cast<double>((round * 7919) % 13) / 13;
}

TEST_F(BlockRunTest, EqualTimesAreKnownAtTheFirstLook) {
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::precise);
  EXPECT_EQ(run.blocks.size(), 30u);
  EXPECT_EQ(begun_, 30);
  EXPECT_EQ(clock_.now(), 50 + 60 * 0.5);
  EXPECT_THAT(log_differences(run.blocks, 0, 1), testing::Each(std::log(2.0)));
}

TEST_F(BlockRunTest, TheOrderIsThatOfTheSchedule) {
  const BlockRun run = this->run();
  ASSERT_EQ(orders_.size(), 60u);
  for (std::uint32_t block = 0; block < 30; ++block) {
    EXPECT_EQ(orders_[2 * block], arm_order(7, block, 0, 2));
    EXPECT_EQ(orders_[2 * block + 1], arm_order(7, block, 1, 2));
    EXPECT_EQ(run.blocks[block].order, orders_[2 * block]);
  }
}

TEST_F(BlockRunTest, WhatIsNotKnownGoesOnAndIsLookedAtEveryTenBlocks) {
  time_ = noisy;
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::precise);
  EXPECT_GT(run.blocks.size(), 30u);
  EXPECT_EQ(run.blocks.size() % 10, 0u);
  const auto all = log_differences(run.blocks, 0, 1);
  EXPECT_LE(*ratio_within(all).half_width(), 0.005);
  const std::vector<double> before(all.begin(), all.end() - 20);
  EXPECT_GT(*ratio_within(before).half_width(), 0.005) << "it stopped at the first look that allowed it";
}

TEST_F(BlockRunTest, EqualTimesAreKnownAfterTwoBlocksOfAQuickRun) {
  plan_.goal = goal_for(Effort::quick);
  seconds_per_round_ = 0.001;
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::precise);
  EXPECT_EQ(run.blocks.size(), 2u);
}

// The two rounds of each block differ by `apart`, and the blocks are equal. So a run of six blocks and more
// is known exactly.
TEST_F(BlockRunTest, AQuickRunIsLookedAtAfterEachOfItsFirstBlocksAndThenEveryTen) {
  plan_.goal = goal_for(Effort::quick);
  plan_.goal.budget_seconds = 1000;
  double apart = 0;
  time_ = [&](std::size_t arm, std::size_t round) { return arm == 0 ? 2 : round % 2 == 0 ? 1 : 1 + apart; };
  std::vector<std::size_t> blocks;
  for (const double one : {0.005, 0.01, 0.013, 0.016, 0.02}) {
    apart = one;
    orders_.clear();
    blocks.push_back(run().blocks.size());
  }
  EXPECT_THAT(blocks, ElementsAre(2, 3, 4, 5, 10));
}

// Only one half counts in the end, and it has to be precise without the other.
TEST_F(BlockRunTest, CapturedAndOtherBlocksEachHaveToBeKnown) {
  plan_.goal = goal_for(Effort::quick);
  plan_.goal.budget_seconds = 1000;
  captured_ = [](std::size_t block) { return block % 4 == 0 || block % 4 == 3; };
  EXPECT_EQ(run().blocks.size(), 4u) << "two captured, two others";
  for (const bool noisy_half : {true, false}) {
    orders_.clear();
    time_ = [&](std::size_t arm, std::size_t round) {
      const bool is_noisy = captured_(round / 2) == noisy_half && round % 2 == 0;
      return arm == 0 ? 2 : is_noisy ? 1.01 : 1;
    };
    const BlockRun run = this->run();
    EXPECT_EQ(run.end, BlockEnd::precise);
    EXPECT_EQ(run.blocks.size(), noisy_half ? 5u : 6u) << "three of the noisy half";
  }
}

TEST_F(BlockRunTest, TooManyVoidBlocksMakeNoShortRun) {
  plan_.goal = goal_for(Effort::quick);
  plan_.goal.budget_seconds = 1000;
  voided_ = [](int block) { return block < 2 ? "hw_thermal" : ""; };
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::disturbed);
  EXPECT_EQ(run.blocks.size(), 10u);
}

TEST_F(BlockRunTest, ASignificantDifferenceEndsNothing) {
  time_ = [](std::size_t arm, std::size_t round) { return (arm == 0 ? 5 : 1) * noisy(1, round * (arm + 1)); };
  const BlockRun run = this->run();
  const auto first = log_differences(std::span(run.blocks).first(30), 0, 1);
  EXPECT_EQ(ratio_within(first).statement(), Statement::faster);
  EXPECT_GT(run.blocks.size(), 30u);
}

TEST_F(BlockRunTest, EveryPairHasToBeKnown) {
  plan_.arms = 3;
  plan_.pairs = {{2, 0}, {2, 1}};
  time_ = [](std::size_t arm, std::size_t round) { return arm == 0 ? noisy(1, round) : 1; };
  const BlockRun run = this->run();
  EXPECT_GT(run.blocks.size(), 30u);
  EXPECT_LE(*ratio_within(log_differences(run.blocks, 0, 2)).half_width(), 0.005);
}

TEST_F(BlockRunTest, TheBudgetEndsItAfterTheBlockInWhichItIsSpent) {
  time_ = noisy;
  plan_.goal.budget_seconds = 3.5;
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::budget_spent);
  EXPECT_EQ(run.blocks.size(), 4u);
}

TEST_F(BlockRunTest, SlowOnesAreGivenTheTimeForAnInterval) {
  plan_.goal.budget_seconds = 3.5;
  plan_.goal.fewest_blocks = 6;
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::budget_spent);
  EXPECT_EQ(run.blocks.size(), 6u);
  EXPECT_TRUE(ratio_within(log_differences(run.blocks, 0, 1)).interval);
}

TEST_F(BlockRunTest, ButNotMoreThanAFewTimesTheBudget) {
  plan_.goal.budget_seconds = 3.5;
  plan_.goal.fewest_blocks = 6;
  seconds_per_round_ = 3;
  EXPECT_EQ(run().blocks.size(), 3u);
}

TEST_F(BlockRunTest, AVoidBlockIsNoneOfTheFewest) {
  plan_.goal.budget_seconds = 1;
  plan_.goal.fewest_blocks = 3;
  voided_ = [](int block) { return block == 1 ? "hw_thermal" : ""; };
  EXPECT_EQ(run().blocks.size(), 4u);
}

TEST_F(BlockRunTest, WhatAProcessAddsIsPartOfTheIntervalThatIsAskedFor) {
  time_ = noisy;
  const std::size_t without = run().blocks.size();
  plan_.goal.most_processes = 4;
  plan_.offset_ms = 0.0019;  // of an interval's square about 70 %
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::precise);
  EXPECT_GT(run.blocks.size(), without);
  const SpeedRatio within = ratio_within(log_differences(run.blocks, 0, 1));
  EXPECT_LE(*ratio_pooled({within}, offset_of_log_ratio(0.0019, 2, 1.13)).half_width(), 0.005);
}

TEST_F(BlockRunTest, ThereIsAlwaysABlock) {
  plan_.goal.budget_seconds = 0;
  EXPECT_EQ(run().blocks.size(), 1u);
}

TEST_F(BlockRunTest, AnUnfinishedBlockIsNone) {
  rounds_left_ = 7;
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::broken_off);
  EXPECT_EQ(run.blocks.size(), 3u);
  EXPECT_EQ(ended_, 3);
}

TEST_F(BlockRunTest, VoidBlocksAreKeptButDoNotCount) {
  voided_ = [](int block) { return block == 3 ? "hw_thermal" : ""; };
  time_ = [](std::size_t arm, std::size_t round) { return round / 2 == 3 ? 100 : arm == 0 ? 2.0 : 1.0; };
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::precise);
  EXPECT_EQ(run.blocks.size(), 31u) << "thirty that count";
  EXPECT_EQ(run.blocks[3].voided, "hw_thermal");
  EXPECT_THAT(log_differences(run.blocks, 0, 1), testing::Each(std::log(2.0)));
  EXPECT_EQ(times_of(run.blocks, 1).size(), 60u);
}

TEST_F(BlockRunTest, MoreThanATenthVoidIsDisturbed) {
  voided_ = [](int block) { return block % 4 == 2 ? "hw_power_brake" : ""; };
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::disturbed);
  EXPECT_EQ(run.blocks.size(), 10u);
  EXPECT_EQ(run.disturbance, "2 of 10 blocks do not count: hw_power_brake");
}

TEST_F(BlockRunTest, AShortRunIsDisturbedTooButNotByOneBlock) {
  plan_.goal.budget_seconds = 3.5;
  voided_ = [](int block) { return block < 2 ? "hw_thermal" : ""; };
  EXPECT_EQ(run().end, BlockEnd::disturbed);
  ended_ = 0;
  voided_ = [](int block) { return block < 1 ? "hw_thermal" : ""; };
  EXPECT_EQ(run().end, BlockEnd::budget_spent);
}

TEST_F(BlockRunTest, ARunWithoutABlockThatCountsIsDisturbed) {
  plan_.goal.budget_seconds = 0;
  voided_ = [](int) { return "hw_thermal"; };
  const BlockRun run = this->run();
  EXPECT_EQ(run.end, BlockEnd::disturbed);
  EXPECT_EQ(run.disturbance, "1 of 1 blocks do not count: hw_thermal");
}

TEST_F(BlockRunTest, ADifferenceIsThatOfLogarithmsInARound) {
  const Block block{{0, 1}, {{1, 4}, {2, 16}}, ""};
  EXPECT_THAT(log_differences(std::span(&block, 1), 0, 1),
              ElementsAre(std::log(1 / 2.0), std::log(4 / 16.0)));
  EXPECT_THAT(times_of(std::span(&block, 1), 1), ElementsAre(2, 16));
}

TEST(Schedule, TheSecondRoundOfABlockIsTheFirstReversed) {
  for (std::uint32_t block = 0; block < 50; ++block) {
    const auto first = arm_order(5, block, 0, 3);
    const auto second = arm_order(5, block, 1, 3);
    EXPECT_THAT(first, UnorderedElementsAre(0, 1, 2));
    EXPECT_EQ(std::vector(first.rbegin(), first.rend()), second);
  }
}

// Within four standard deviations of what fair coins give.
TEST(Schedule, EveryOrderComesAsOftenAsAnyOther) {
  constexpr std::uint32_t blocks = 6000;
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint32_t block = 0; block < blocks; ++block) ++seen[arm_order(5, block, 0, 3)];
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, blocks / 6.0, 4 * 29);
}

TEST(Schedule, TheOrderIsTheSeeds) {
  int differ = 0;
  for (std::uint32_t block = 0; block < 100; ++block) {
    EXPECT_EQ(arm_order(5, block, 0, 2), arm_order(5, block, 0, 2));
    differ += arm_order(5, block, 0, 2) != arm_order(6, block, 0, 2) ? 1 : 0;
  }
  EXPECT_GT(differ, 25);
}

TEST(Schedule, EffortBuysPrecision) {
  const MeasuringGoal quick = goal_for(Effort::quick);
  const MeasuringGoal normal = goal_for(Effort::normal);
  const MeasuringGoal ranked = goal_for(Effort::ranked);
  EXPECT_EQ(quick.half_width, 0.01);
  EXPECT_EQ(normal.half_width, 0.005);
  EXPECT_EQ(ranked.half_width, 0.0025);
  EXPECT_LT(quick.budget_seconds, normal.budget_seconds);
  EXPECT_EQ(normal.processes, 1);
  EXPECT_EQ(ranked.processes, 5);
  EXPECT_EQ(quick.most_processes, 1);
  EXPECT_EQ(normal.most_processes, 4);
}

TEST(Schedule, ASampleHasAsManyLaunchesAsTheClockNeeds) {
  EXPECT_EQ(launches_per_sample(0.011, 8), 1);
  EXPECT_EQ(launches_per_sample(0.010, 8), 1);
  EXPECT_EQ(launches_per_sample(0.006, 8), 2);
  EXPECT_EQ(launches_per_sample(0.003, 8), 4);
  EXPECT_EQ(launches_per_sample(0.001, 8), 8);
  EXPECT_EQ(launches_per_sample(0.003, 2), 2);
  EXPECT_EQ(launches_per_sample(0, 8), 1) << "a time that is none";
}

TEST(Voiding, HeatBrakeAndHardwareSlowdownVoidABlock) {
  for (const std::uint64_t reason : {clock_event::hw_slowdown, clock_event::hw_thermal,
                                     clock_event::sw_thermal, clock_event::hw_power_brake}) {
    EXPECT_NE(voiding_words(reason), "");
    EXPECT_EQ(voiding_words(reason | clock_event::sw_power_cap), voiding_words(reason));
  }
}

TEST(Voiding, LimitsAndIdlingDoNot) {
  constexpr std::uint64_t harmless = clock_event::gpu_idle | clock_event::applications_clocks |
                                     clock_event::sw_power_cap | clock_event::sync_boost |
                                     clock_event::display_clock | clock_event::board_limit |
                                     clock_event::reliability;
  EXPECT_EQ(voiding_words(harmless), "");
}

TEST(Voiding, NamesTheCauseRatherThanTheSlowdown) {
  EXPECT_EQ(voiding_words(clock_event::hw_slowdown), "hardware slowdown");
  EXPECT_EQ(voiding_words(clock_event::hw_slowdown | clock_event::hw_thermal), "thermal slowdown");
  EXPECT_EQ(voiding_words(clock_event::hw_slowdown | clock_event::hw_power_brake), "the power brake");
  EXPECT_EQ(voiding_words(clock_event::sw_thermal | clock_event::hw_power_brake),
            "thermal slowdown and the power brake");
}

TEST(PowerCap, WarnsWhenItMeetsOneArmMoreOften) {
  const auto warning = power_cap_warning({"candidate", {200, 100}}, {"reference", {200, 50}});
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, HasSubstr("candidate in 50 % of its readings and reference in 25 %"));
  EXPECT_TRUE(power_cap_warning({"reference", {200, 50}}, {"candidate", {200, 100}}));
  EXPECT_TRUE(power_cap_warning({"candidate", {10, 10}}, {"reference", {10, 0}}));
}

TEST(PowerCap, BearsTenPoints) {
  EXPECT_FALSE(power_cap_warning({"candidate", {100000, 60000}}, {"reference", {100000, 50000}}));
  EXPECT_TRUE(power_cap_warning({"candidate", {100000, 60100}}, {"reference", {100000, 50000}}));
}

TEST(PowerCap, BearsWhatFewReadingsShowByChance) {
  EXPECT_FALSE(power_cap_warning({"candidate", {5, 1}}, {"reference", {5, 0}}));
  EXPECT_FALSE(power_cap_warning({"candidate", {20, 12}}, {"reference", {20, 8}}));
}

TEST(PowerCap, SaysNothingWithoutReadings) {
  EXPECT_FALSE(power_cap_warning({"candidate", {}}, {"reference", {100, 100}}));
  EXPECT_EQ((ArmPowerCap{"candidate", {}}.share()), 0);
}

}  // namespace kgrade::block_run_test
