#include "measure/speedup.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "measure/block_run.h"
#include "tests/measure/simulation.h"

namespace kgrade::speedup_test {

using simulation::BlockTimes;

std::vector<BlockTimes> noisy_blocks(std::size_t count, double ratio) {
  simulation::Random random(21);
  return simulation::run_blocks(random, simulation::independent(0.01), count, ratio);
}

// The rounds of blocks without a difference between the two rounds.
std::vector<double> rounds_of(const std::vector<double>& blocks) {
  std::vector<double> rounds;
  for (const double block : blocks) rounds.insert(rounds.end(), 2, block);
  return rounds;
}

TEST(Statement, FollowsTheWholeInterval) {
  EXPECT_EQ(statement_of(Interval{1.011, 1.2}), Statement::faster);
  EXPECT_EQ(statement_of(Interval{1.009, 1.2}), Statement::inconclusive);
  EXPECT_EQ(statement_of(Interval{0.8, 0.990}), Statement::slower);
  EXPECT_EQ(statement_of(Interval{0.8, 0.992}), Statement::inconclusive);
  EXPECT_EQ(statement_of(Interval{0.991, 1.009}), Statement::same);
  EXPECT_EQ(statement_of(Interval{1.002, 1.009}), Statement::same);
  EXPECT_EQ(statement_of(Interval{0.9, 1.1}), Statement::inconclusive);
  EXPECT_EQ(statement_of(std::nullopt), Statement::inconclusive);
}

TEST(Statement, TheBoundsThemselvesAreStillTheSame) {
  EXPECT_EQ(statement_of(Interval{1 / 1.25, 1.25}, 0.25), Statement::same);
  EXPECT_EQ(statement_of(Interval{1.25, 1.5}, 0.25), Statement::inconclusive);
  EXPECT_EQ(statement_of(Interval{0.5, 0.8}, 0.25), Statement::inconclusive);
}

TEST(Statement, ExchangingTheSidesIsSymmetric) {
  simulation::Random random(22);
  for (int trial = 0; trial < 2000; ++trial) {
    const double centre = std::exp(0.02 * random.normal());
    const double factor = std::exp(0.01 * random.uniform());
    const Interval interval = {centre / factor, centre * factor};
    const Statement there = statement_of(interval);
    const Statement back = statement_of(Interval{1 / interval.high, 1 / interval.low});
    if (there == Statement::faster) {
      EXPECT_EQ(back, Statement::slower);
    } else if (there == Statement::slower) {
      EXPECT_EQ(back, Statement::faster);
    } else {
      EXPECT_EQ(back, there);
    }
  }
}

TEST(Statement, Names) {
  EXPECT_EQ(to_string(Statement::faster), "faster");
  EXPECT_EQ(to_string(Statement::slower), "slower");
  EXPECT_EQ(to_string(Statement::same), "same");
  EXPECT_EQ(to_string(Statement::inconclusive), "inconclusive");
  EXPECT_EQ(to_string(Method::within_process), "within_process");
  EXPECT_EQ(to_string(Method::pooled_processes), "pooled_processes");
  EXPECT_EQ(to_string(Method::across_processes), "across_processes");
}

TEST(SpeedRatio, WithinAProcessOfKnownBlocks) {
  const SpeedRatio speed = ratio_within(rounds_of({0.5, 0.25, 0.125, 0.375, 0.25, 0.25}));
  EXPECT_DOUBLE_EQ(speed.ratio, std::exp(0.25));
  ASSERT_TRUE(speed.interval);
  EXPECT_DOUBLE_EQ(speed.interval->low, std::exp(0.125));
  EXPECT_DOUBLE_EQ(speed.interval->high, std::exp(0.5));
  EXPECT_DOUBLE_EQ(speed.half_width().value(), std::exp(0.1875) - 1);
  EXPECT_EQ(speed.method, Method::within_process);
  EXPECT_EQ(speed.count, 6u);
  EXPECT_EQ(speed.statement(), Statement::faster);
}

TEST(SpeedRatio, OfABlockIsTheMeanOfItsRounds) {
  const std::vector<double> blocks = {0.5, 0.25, 0.125, 0.375, 0.25, 0.25};
  std::vector<double> rounds;
  for (const double block : blocks) rounds.insert(rounds.end(), {block + 0.0625, block - 0.0625});
  EXPECT_DOUBLE_EQ(ratio_within(rounds).ratio, std::exp(0.25));
  EXPECT_DOUBLE_EQ(ratio_within(rounds).interval->low, std::exp(0.125));
  EXPECT_DOUBLE_EQ(ratio_within(rounds).interval->high, std::exp(0.5));
}

// Student's interval of four rounds at 98 %: the quantile is 4.5407
TEST(SpeedRatio, OfTwoBlocksHasTheIntervalOfTheirRounds) {
  const SpeedRatio speed = ratio_within({0.1, 0.2, 0.3, 0.4});
  EXPECT_DOUBLE_EQ(speed.ratio, std::exp(0.25));
  EXPECT_EQ(speed.count, 2u);
  ASSERT_TRUE(speed.interval);
  const double half_width = 4.540702859 * std::sqrt(0.05 / 3 / 4);
  EXPECT_NEAR(std::log(speed.interval->low), 0.25 - half_width, 1e-9);
  EXPECT_NEAR(std::log(speed.interval->high), 0.25 + half_width, 1e-9);
}

TEST(SpeedRatio, AcrossProcessesOfKnownEstimates) {
  const SpeedRatio speed = ratio_across({-0.1, -0.2, -0.3});
  EXPECT_DOUBLE_EQ(speed.ratio, std::exp(-0.2));
  ASSERT_TRUE(speed.interval);
  const double half_width = 4.3026527297 * 0.1 / std::sqrt(3);
  EXPECT_NEAR(speed.interval->low, std::exp(-0.2 - half_width), 1e-9);
  EXPECT_NEAR(speed.interval->high, std::exp(-0.2 + half_width), 1e-9);
  EXPECT_EQ(speed.method, Method::across_processes);
  EXPECT_EQ(speed.count, 3u);
  EXPECT_EQ(speed.statement(), Statement::inconclusive);
}

SpeedRatio symmetric_ratio(double log, double half_width_log) {
  return {std::exp(log), Interval{std::exp(log - half_width_log), std::exp(log + half_width_log)},
          Method::within_process, 30};
}

TEST(PooledRatio, OfOneProcessWithoutAnOffsetIsItsOwn) {
  const SpeedRatio own = ratio_within(rounds_of({0.5, 0.25, 0.125, 0.375, 0.25, 0.25}));
  const SpeedRatio pooled = ratio_pooled({own}, 0);
  EXPECT_DOUBLE_EQ(pooled.ratio, own.ratio);
  EXPECT_DOUBLE_EQ(pooled.interval->low, own.interval->low);
  EXPECT_DOUBLE_EQ(pooled.interval->high, own.interval->high);
  EXPECT_EQ(pooled.method, Method::within_process);
  EXPECT_EQ(pooled.count, 6u);
}

TEST(PooledRatio, WidthsAddUpAsSquares) {
  const double offset = 0.04 / 1.959963984540054;
  const SpeedRatio one = ratio_pooled({symmetric_ratio(0.1, 0.03)}, offset);
  EXPECT_NEAR(std::log(one.interval->low), 0.1 - 0.05, 1e-12);
  EXPECT_NEAR(std::log(one.interval->high), 0.1 + 0.05, 1e-12);
  const std::vector<SpeedRatio> four = {symmetric_ratio(0.1, 0.03), symmetric_ratio(0.11, 0.03),
                                        symmetric_ratio(0.09, 0.03), symmetric_ratio(0.1, 0.03)};
  const SpeedRatio pooled = ratio_pooled(four, offset);
  EXPECT_NEAR(std::log(pooled.ratio), 0.1, 1e-12);
  EXPECT_NEAR(std::log(pooled.interval->low), 0.1 - 0.025, 1e-12);
  EXPECT_NEAR(std::log(pooled.interval->high), 0.1 + 0.025, 1e-12);
  EXPECT_EQ(pooled.method, Method::pooled_processes);
  EXPECT_EQ(pooled.count, 4u);
}

TEST(PooledRatio, ProcessesThatDifferMoreSpeakForThemselves) {
  const std::vector<SpeedRatio> apart = {symmetric_ratio(0.1, 0.001), symmetric_ratio(0.2, 0.001)};
  const SpeedRatio pooled = ratio_pooled(apart, 0.002);
  const SpeedRatio across = ratio_across({0.1, 0.2});
  EXPECT_EQ(pooled.method, Method::across_processes);
  EXPECT_DOUBLE_EQ(pooled.interval->low, across.interval->low);
  EXPECT_DOUBLE_EQ(pooled.interval->high, across.interval->high);
}

TEST(PooledRatio, WithoutIntervalsThereIsNone) {
  EXPECT_FALSE(ratio_pooled({}, 0.01).interval);
  EXPECT_FALSE(ratio_pooled({ratio_within({0.1, 0.1})}, 0.01).interval);
  const SpeedRatio two = ratio_pooled({ratio_within({0.1, 0.1}), ratio_within({0.2, 0.2})}, 0.01);
  EXPECT_EQ(two.method, Method::across_processes);
}

TEST(ProcessOffset, FollowsFromBothSides) {
  EXPECT_DOUBLE_EQ(offset_of_log_ratio(0.0003, 0.1, 0.1), 0.003 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(offset_of_log_ratio(0.0003, 0.01, 0.0075), 0.05);
  EXPECT_EQ(offset_of_log_ratio(0, 1, 1), 0);
}

TEST(ProcessOffset, TakesAsManyProcessesAsTheGoalNeeds) {
  const MeasuringGoal goal = {0.01, 4, 0, 1, 4};
  EXPECT_EQ(processes_wanted(goal, 0), 1);
  EXPECT_EQ(processes_wanted(goal, 0.0044), 1);
  EXPECT_EQ(processes_wanted(goal, 0.0045), 2);
  EXPECT_EQ(processes_wanted(goal, 0.0062), 2);
  EXPECT_EQ(processes_wanted(goal, 0.0063), 3);
  EXPECT_EQ(processes_wanted(goal, 1e9), 4);
  EXPECT_EQ(processes_wanted(goal_for(Effort::quick), 1), 1);
  EXPECT_EQ(processes_wanted(goal_for(Effort::ranked), 0), 5);
}

// So the reported interval is as narrow as requested, not just the part within a process.
TEST(ProcessOffset, LeavesToTheSamplesWhatItDoesNotTake) {
  const MeasuringGoal goal = {0.01, 4, 0, 1, 4};
  for (const double offset : {0.0, 0.001, 0.0044, 0.0045, 0.006, 0.008}) {
    const double own = half_width_within(goal, offset);
    const double square = own * own + std::pow(1.959964 * offset, 2);
    EXPECT_LE(std::sqrt(square / processes_wanted(goal, offset)), 0.01 + 1e-9) << offset;
    EXPECT_GE(own, 0.005) << "no more than four times the samples";
    EXPECT_LE(own, 0.01);
  }
  EXPECT_EQ(half_width_within(goal, 1), 0.01) << "out of reach";
}

TEST(SpeedRatio, TooLittleGivesNoInterval) {
  const SpeedRatio nothing = ratio_within({});
  EXPECT_EQ(nothing.ratio, 1);
  EXPECT_EQ(nothing.count, 0u);
  EXPECT_EQ(ratio_across({}).ratio, 1);
  EXPECT_DOUBLE_EQ(ratio_across({0.5}).ratio, std::exp(0.5));
  for (const SpeedRatio& speed : {nothing, ratio_within({1, 1}), ratio_across({}), ratio_across({1})}) {
    EXPECT_FALSE(speed.interval);
    EXPECT_FALSE(speed.half_width());
    EXPECT_EQ(speed.statement(), Statement::inconclusive);
  }
}

TEST(SpeedRatio, IdenticalBlocksHaveNoWidth) {
  for (const std::size_t blocks : {2, 5, 6, 10}) {
    const SpeedRatio speed = ratio_within(std::vector<double>(2 * blocks, 0.0));
    EXPECT_EQ(speed.ratio, 1);
    EXPECT_EQ(speed.half_width().value(), 0);
    EXPECT_EQ(speed.statement(), Statement::same);
  }
}

TEST(SpeedRatio, RefusesWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ratio_within({nan, 1}), std::invalid_argument);
  EXPECT_THROW(ratio_within({1, 1, 1, nan}), std::invalid_argument);
  EXPECT_THROW(ratio_across({nan}), std::invalid_argument);
}

TEST(SpeedRatio, UnitOfTheTimesDoesNotMatter) {
  std::vector<BlockTimes> blocks = noisy_blocks(30, 1.3);
  const SpeedRatio in_ms = ratio_within(log_differences(blocks));
  for (BlockTimes& block : blocks) {
    for (double& time : block.candidate) time *= 1e3 / 7;
    for (double& time : block.opponent) time *= 1e3 / 7;
  }
  const SpeedRatio scaled = ratio_within(log_differences(blocks));
  EXPECT_NEAR(scaled.ratio, in_ms.ratio, 1e-14);
  EXPECT_NEAR(scaled.interval->low, in_ms.interval->low, 1e-14);
  EXPECT_NEAR(scaled.interval->high, in_ms.interval->high, 1e-14);
}

// A machine that is twice as slow for some of the blocks disturbs both of their sides equally.
TEST(SpeedRatio, SpeedOfWholeBlocksDoesNotMatter) {
  std::vector<BlockTimes> blocks = noisy_blocks(30, 1.3);
  const SpeedRatio before = ratio_within(log_differences(blocks));
  for (std::size_t i = 0; i < blocks.size(); i += 3) {
    for (double& time : blocks[i].candidate) time *= 2;
    for (double& time : blocks[i].opponent) time *= 2;
  }
  EXPECT_NEAR(ratio_within(log_differences(blocks)).ratio, before.ratio, 1e-14);
}

TEST(SpeedRatio, OrderOfTheBlocksDoesNotMatter) {
  std::vector<double> differences = log_differences(noisy_blocks(30, 1.3));
  const SpeedRatio in_order = ratio_within(differences);
  std::rotate(differences.begin(), differences.begin() + 22, differences.end());
  std::reverse(differences.begin(), differences.begin() + 20);
  const SpeedRatio shuffled = ratio_within(differences);
  EXPECT_EQ(shuffled.ratio, in_order.ratio);
  EXPECT_EQ(shuffled.interval->low, in_order.interval->low);
  EXPECT_EQ(shuffled.interval->high, in_order.interval->high);
}

TEST(SpeedRatio, ExchangingTheSidesInvertsIt) {
  for (const std::size_t count : {3, 7, 30, 61, 100}) {
    std::vector<double> differences = log_differences(noisy_blocks(count, 1.3));
    const SpeedRatio within = ratio_within(differences);
    const SpeedRatio across = ratio_across(differences);
    for (double& difference : differences) difference = -difference;
    for (const auto& [there, back] :
         {std::pair{within, ratio_within(differences)}, std::pair{across, ratio_across(differences)}}) {
      EXPECT_NEAR(back.ratio * there.ratio, 1, 1e-15 * 4);
      EXPECT_NEAR(back.interval->low * there.interval->high, 1, 1e-15 * 4);
      EXPECT_NEAR(back.interval->high * there.interval->low, 1, 1e-15 * 4);
      EXPECT_EQ(there.statement(), Statement::faster);
      EXPECT_EQ(back.statement(), Statement::slower);
    }
  }
}

// A candidate of a heat, accepted in one measured case, of which each block has its own time and the
// reference's.
CandidateRecord in_heat(const std::string& path, const std::vector<BlockTimes>& blocks,
                        double offset_ms = 0) {
  CandidateRecord record;
  record.path = path;
  record.sha256 = std::string(64, path.front());
  CaseRecord& c = record.cases.emplace_back();
  c.name = "large";
  c.measurement.emplace();
  c.measurement->process_offset_ms = offset_ms;
  ProcessBlocks& process = c.measurement->processes.emplace_back();
  for (const BlockTimes& times : blocks) {
    Block& block = process.blocks.emplace_back();
    block.order = {0, 1};
    block.samples = {{times.opponent[0], times.opponent[1]}, {times.candidate[0], times.candidate[1]}};
  }
  summarise_arms(c);
  c.speedups = speedups_of(c);
  return record;
}

Block& block_of(CandidateRecord& record, std::size_t i) {
  return record.cases[0].measurement->processes[0].blocks[i];
}

// The same calls of the reference, which is noisy, beside a candidate that is not.
struct Neighbours {
  CandidateRecord one;
  CandidateRecord other;

  explicit Neighbours(double ratio, double offset_ms = 0) {
    std::vector<BlockTimes> blocks = noisy_blocks(30, 1);
    for (BlockTimes& times : blocks) times.candidate = {1.001, 0.999};
    one = in_heat("a.cu", blocks, offset_ms);
    for (BlockTimes& times : blocks) {
      for (double& time : times.candidate) time /= ratio;
    }
    other = in_heat("b.cu", blocks, offset_ms);
  }
};

TEST(Neighbour, IsComparedInTheSameBlocks) {
  const Neighbours two(1.05);
  const auto faster = neighbour_of(two.other, two.one);
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->path, "a.cu");
  EXPECT_EQ(faster->sha256, std::string(64, 'a'));
  ASSERT_EQ(faster->cases.size(), 1u);
  EXPECT_EQ(faster->cases[0].name, "large");
  EXPECT_EQ(faster->cases[0].ratio.count, 30u);
  EXPECT_NEAR(faster->speedup.geometric_mean, 1.05, 1e-12);
  const auto slower = neighbour_of(two.one, two.other);
  ASSERT_TRUE(slower);
  EXPECT_NEAR(slower->speedup.geometric_mean * faster->speedup.geometric_mean, 1, 1e-12);
  // The reference's noise is not in it, which is in both speedups.
  EXPECT_LT(*faster->cases[0].ratio.half_width(), 1e-9);
  EXPECT_GT(*two.one.cases[0].speedups[0].ratio.half_width(), 1e-3);
}

TEST(Neighbour, HasTheOffsetOfBothProcesses) {
  const Neighbours two(1.25, 0.001);
  const auto faster = neighbour_of(two.other, two.one);
  ASSERT_TRUE(faster);
  const double offset = normal_quantile(0.975) * std::hypot(0.001 / 1, 0.001 / 0.8);
  EXPECT_NEAR(faster->cases[0].ratio.interval->low, 1.25 * std::exp(-offset), 1e-6);
  EXPECT_NEAR(faster->speedup.interval->high, 1.25 * std::exp(offset), 1e-6);
}

TEST(Neighbour, OnlyBlocksThatCountForBothDo) {
  Neighbours two(1.05);
  block_of(two.one, 3).voided = block_of(two.other, 3).voided = "thermal slowdown";
  block_of(two.one, 4).voided = "the speedup is lower where outputs are not captured";
  block_of(two.other, 5).voided = "the speedup is lower where outputs are captured";
  for (const std::size_t i : {3, 4, 5}) block_of(two.other, i).samples[1] = {9, 9};
  const auto faster = neighbour_of(two.other, two.one);
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->cases[0].ratio.count, 27u);
  EXPECT_NEAR(faster->speedup.geometric_mean, 1.05, 1e-12);
  for (std::size_t i = 0; i < 30; ++i) block_of(i % 2 == 0 ? two.one : two.other, i).voided = "no";
  EXPECT_FALSE(neighbour_of(two.other, two.one)) << "no block is left";
}

TEST(Neighbour, IsNobodyElse) {
  const auto is_neighbour = [](auto change) {
    Neighbours two(1.05);
    change(two.other);
    EXPECT_EQ(neighbour_of(two.one, two.other).has_value(), neighbour_of(two.other, two.one).has_value());
    return neighbour_of(two.one, two.other).has_value();
  };
  EXPECT_TRUE(is_neighbour([](CandidateRecord&) {}));
  EXPECT_FALSE(is_neighbour([](CandidateRecord& r) { r.verdict = Verdict::unstable; }));
  EXPECT_FALSE(is_neighbour([](CandidateRecord& r) { r.precision = Precision::tf32; }));
  EXPECT_FALSE(is_neighbour([](CandidateRecord& r) { r.cases[0].measurement->processes[0].group = 1; }));
  EXPECT_FALSE(is_neighbour([](CandidateRecord& r) { r.cases[0].speedups.clear(); }));
}

// As a score does: in a case of weight 3 it is 1.1 times as fast, in the other 1.2 times.
TEST(Neighbour, HasTheWeightedMeanOverTheCases) {
  Neighbours two(1.1);
  const Neighbours more(1.2);
  two.one.cases.push_back(more.one.cases[0]);
  two.other.cases.push_back(more.other.cases[0]);
  two.one.cases[0].weight = two.other.cases[0].weight = 3;
  const auto faster = neighbour_of(two.other, two.one);
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->speedup.count, 2u);
  EXPECT_NEAR(faster->speedup.geometric_mean, std::exp((3 * std::log(1.1) + std::log(1.2)) / 4), 1e-12);
  two.other.cases[1].measurement->processes[0].group = 1;
  EXPECT_FALSE(neighbour_of(two.other, two.one)) << "one case was not in the same blocks";
}

TEST(ProcessOffset, IsSaidToBeBorrowedWhereItIs) {
  DeviceInfo device;
  device.process_offset_ms = 0.00008;
  device.name = "NVIDIA A100-SXM4-80GB";
  EXPECT_THAT(borrowed_offset_note(device), testing::Optional(testing::HasSubstr("0.08 us")));
  device.name = "NVIDIA H200 NVL";
  EXPECT_EQ(borrowed_offset_note(device), std::nullopt);
  device.name = "emulated device";
  device.process_offset_ms = 0;
  EXPECT_EQ(borrowed_offset_note(device), std::nullopt) << "it takes none into account";
}

}  // namespace kgrade::speedup_test
