// How often the intervals hold the true ratio, in simulated runs. A share of n trials agrees with 95 % where
// its own binomial interval at 99.9 % holds 0.95: with a right implementation that fails for one seed in a
// thousand, and the seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/block_run.h"
#include "measure/clock_rule.h"
#include "measure/speedup.h"
#include "tests/measure/simulation.h"

namespace kgrade::coverage_test {

using simulation::Noise;
using simulation::Random;

constexpr double true_ratio = 1.02;

// Where the true coverage lies (99.9 %), from `trials` trials that each say whether their interval holds the
// truth.
Interval coverage(std::uint64_t seed, std::uint64_t trials, const std::function<bool(Random&)>& holds) {
  Random random(seed);
  std::uint64_t hits = 0;
  for (std::uint64_t trial = 0; trial < trials; ++trial) hits += holds(random) ? 1 : 0;
  return binomial_interval(hits, trials, 0.999);
}

std::string text(const Interval& interval) {
  return std::to_string(interval.low) + " to " + std::to_string(interval.high);
}

std::vector<double> simulated_differences(Random& random, const Noise& noise, std::size_t blocks) {
  return log_differences(simulation::run_blocks(random, noise, blocks, true_ratio));
}

bool holds_truth(const SpeedRatio& speed) { return speed.interval && speed.interval->contains(true_ratio); }

struct NamedNoise {
  const char* name;
  Noise noise;
};

std::vector<NamedNoise> all_noises() {
  return {{"independent", simulation::independent(0.01)},
          {"drifting", simulation::drifting(0.03, 0.01)},
          {"autoregressive", simulation::autoregressive(0.95, 0.01)},
          {"two_states", simulation::two_states(0.04, 0.02, 0.003)},
          {"outliers", simulation::with_outliers(0.03, 0.01)},
          {"in_step", simulation::in_step(0.04, 0.01)}};
}

using Stop = std::function<bool(const SpeedRatio&)>;

struct Looks {
  std::size_t first = 0;  // blocks; then every ten
  std::size_t most_blocks = 0;
};

SpeedRatio run_until(Random& random, const Noise& noise, const Stop& stop, Looks looks) {
  const std::vector<double> all = simulated_differences(random, noise, looks.most_blocks);
  for (auto end = all.begin() + static_cast<std::ptrdiff_t>(2 * looks.first);; end += 20) {
    const SpeedRatio speed = ratio_within({all.begin(), end});
    if (end == all.end() || stop(speed)) return speed;
  }
}

bool half_per_cent(const SpeedRatio& speed) { return speed.half_width().value() <= 0.005; }

class CoverageUnder : public testing::TestWithParam<NamedNoise> {};

TEST_P(CoverageUnder, NoiseWithinAProcessIsNinetyFivePerCent) {
  for (const std::size_t blocks : {10, 40, 100}) {
    const Interval found = coverage(blocks, 4000, [&](Random& random) {
      return holds_truth(ratio_within(simulated_differences(random, GetParam().noise, blocks)));
    });
    EXPECT_TRUE(found.contains(0.95)) << blocks << " blocks: " << text(found);
  }
}

// Because of the margin, false statements are rarer than intervals that miss.
TEST_P(CoverageUnder, NoiseEqualSidesAreRarelyToldApart) {
  Random random(7);
  int told_apart = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    const auto blocks = simulation::run_blocks(random, GetParam().noise, 30, 1.0);
    const Statement statement = ratio_within(log_differences(blocks)).statement();
    told_apart += statement == Statement::faster || statement == Statement::slower ? 1 : 0;
  }
  EXPECT_LE(told_apart, trials / 100);
}

// With 2000 trials, 95 % cannot be distinguished from the 94 % to 95 % that stopping leaves; the worst case
// has its own test below.
TEST_P(CoverageUnder, NoiseStoppedByHalfWidthStaysNearNinetyFivePerCent) {
  const Interval found = coverage(20, 2000, [&](Random& random) {
    return holds_truth(run_until(random, GetParam().noise, half_per_cent, {20, 200}));
  });
  EXPECT_TRUE(found.contains(0.95)) << text(found);
}

std::string noise_name(const testing::TestParamInfo<NamedNoise>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, CoverageUnder, testing::ValuesIn(all_noises()), noise_name);

// The coin makes the interval valid: without it, a disturbance in step with the blocks looks like a
// difference between the sides.
TEST(Coverage, WithoutTheCoinADisturbanceInStepIsTakenForSpeed) {
  const Noise noise = simulation::in_step(0.04, 0.01);
  const auto always = [](Random&) { return true; };
  const Interval found = coverage(1, 500, [&](Random& random) {
    const auto blocks = simulation::run_blocks(random, noise, 40, true_ratio, always);
    return holds_truth(ratio_within(log_differences(blocks)));
  });
  EXPECT_LT(found.high, 0.1) << text(found);
}

// Each process shifts the ratio by its own amount, of 0.5 % standard deviation.
std::vector<std::vector<double>> simulated_processes(Random& random, std::size_t processes) {
  std::vector<std::vector<double>> all(processes);
  for (std::vector<double>& differences : all) {
    const double shift = 0.005 * random.normal();
    differences = simulated_differences(random, simulation::independent(0.01), 30);
    for (double& difference : differences) difference += shift;
  }
  return all;
}

TEST(Coverage, AcrossProcessesIsNinetyFivePerCent) {
  for (const std::size_t processes : {3, 5, 10}) {
    const Interval found = coverage(processes, 2000, [&](Random& random) {
      std::vector<double> estimates;
      for (const auto& blocks : simulated_processes(random, processes)) {
        estimates.push_back(std::log(ratio_within(blocks).ratio));
      }
      return holds_truth(ratio_across(estimates));
    });
    EXPECT_TRUE(found.contains(0.95)) << processes << " processes: " << text(found);
  }
}

// Why --ranked does not pool: blocks of one process share its shift, so they are not independent.
TEST(Coverage, PooledBlocksOfSeveralProcessesMissHalfOfTheTime) {
  const Interval found = coverage(5, 1000, [](Random& random) {
    std::vector<double> pooled;
    for (const auto& blocks : simulated_processes(random, 5)) {
      pooled.insert(pooled.end(), blocks.begin(), blocks.end());
    }
    return holds_truth(ratio_within(pooled));
  });
  EXPECT_LT(found.high, 0.7) << text(found);
}

// A look ends exactly the runs whose spread came out too small by chance, and their intervals are too narrow.
// The worst case is a first look after ten blocks, which estimate their own spread badly, if about twice as
// many are needed: one more run in a hundred misses. (For other spreads, and with a first look after 20 or 30
// blocks, it is 0 to 0.9 in a hundred.)
TEST(Coverage, StoppingByHalfWidthFromTenBlocksOnCostsAboutOnePerCent) {
  const Noise noise = simulation::independent(0.01);
  const Interval found = coverage(10, 10000, [&](Random& random) {
    return holds_truth(run_until(random, noise, half_per_cent, {10, 60}));
  });
  EXPECT_TRUE(found.contains(0.94)) << text(found);
  EXPECT_LT(found.high, 0.95) << text(found);
}

// Why the measurement never stops on significance.
TEST(Coverage, StoppingOnSignificanceMissesOften) {
  const Noise noise = simulation::independent(0.01);
  const auto significant = [](const SpeedRatio& speed) { return !speed.interval->contains(true_ratio); };
  const Interval found = coverage(10, 500, [&](Random& random) {
    return holds_truth(run_until(random, noise, significant, {10, 200}));
  });
  EXPECT_LT(found.high, 0.85) << text(found);
}

TEST(Coverage, SuiteScoreIsNinetyFivePerCent) {
  const Interval found = coverage(4, 2000, [](Random& random) {
    std::vector<SpeedRatio> ratios;
    for (const double deviation : {0.005, 0.01, 0.01, 0.02, 0.03}) {
      ratios.push_back(ratio_within(simulated_differences(random, simulation::independent(deviation), 30)));
    }
    return suite_score(ratios).interval->contains(true_ratio);
  });
  EXPECT_TRUE(found.contains(0.95)) << text(found);
}

// A process with this noise, in which both arms are equally fast. It has time for this many blocks.
constexpr std::size_t most_blocks = 40;
class EqualArms : public RoundPlayer {
 public:
  EqualArms(Random& random, const Noise& noise, bool by_turns)
      : random_(random), by_turns_(by_turns), factors_(noise(random, 4 * most_blocks)) {}

  std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) override {
    if (next_ == factors_.size()) return std::nullopt;
    if (next_ % 8 == 0) captured_first_ = random_.happens(0.5);
    const bool captured = !by_turns_ || (next_ % 8 < 4) == captured_first_;
    std::vector<Sample> samples(2);
    for (const std::size_t arm : order) {
      samples[arm].reported_ms = factors_[next_++];
      samples[arm].kind.captured = captured;
    }
    return samples;
  }

 private:
  Random& random_;
  bool by_turns_;
  std::vector<double> factors_;
  std::size_t next_ = 0;
  bool captured_first_ = false;
};

class StandingClock : public Clock {
 public:
  double now() const override { return 0; }
};

struct QuickRuns {
  int outside = 0;  // intervals that do not hold the true ratio, 1
  int told_apart = 0;
  double mean_blocks = 0;
};

constexpr int quick_runs = 2000;
QuickRuns quick_runs_of(const Noise& noise, bool by_turns) {
  Random random(59);
  QuickRuns found;
  for (int trial = 0; trial < quick_runs; ++trial) {
    EqualArms player(random, noise, by_turns);
    BlockWatch watch;
    BlockPlan plan{2, {{1, 0}}, goal_for(Effort::quick), 0, static_cast<std::uint64_t>(trial)};
    BlockRun run = run_blocks(plan, player, watch, StandingClock());
    found.mean_blocks += static_cast<double>(run.blocks.size()) / quick_runs;
    if (by_turns) keep_slower_half(run.blocks);
    const SpeedRatio ratio = ratio_within(log_differences(std::span(run.blocks), 0, 1));
    found.outside += ratio.interval->contains(1) ? 0 : 1;
    const Statement statement = ratio.statement();
    found.told_apart += statement == Statement::faster || statement == Statement::slower ? 1 : 0;
  }
  return found;
}

struct QuickNoise {
  const char* name;
  std::function<Noise(double deviation)> of;
};

class QuickRunUnder : public testing::TestWithParam<QuickNoise> {};

// The deviation of a sample is also that of a block's log difference.
TEST_P(QuickRunUnder, NoiseHoldsTheTruthAndTellsEqualSidesApartRarely) {
  for (const bool by_turns : {false, true}) {
    for (const double deviation : {0.0005, 0.002, 0.0035, 0.005, 0.01, 0.02, 0.05}) {
      const QuickRuns found = quick_runs_of(GetParam().of(deviation), by_turns);
      SCOPED_TRACE(testing::Message() << 100 * deviation << " %, by turns: " << by_turns
                                      << ", outside: " << found.outside << ", blocks: " << found.mean_blocks);
      // 95 %, and 93 % where the run was far from precise after its first blocks.
      EXPECT_LE(found.outside, quick_runs * (deviation <= 0.005 ? 0.05 : 0.07));
      EXPECT_LE(found.told_apart, quick_runs / 100);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, QuickRunUnder,
    testing::Values(QuickNoise{"independent", simulation::independent},
                    QuickNoise{"drifting", [](double d) { return simulation::drifting(0.1, d); }},
                    QuickNoise{"autoregressive",
                               [](double d) { return simulation::autoregressive(0.95, 3 * d); }},
                    QuickNoise{"two_states", [](double d) { return simulation::two_states(0.04, 0.02, d); }},
                    QuickNoise{"heavy_tailed", [](double d) { return simulation::heavy_tailed(0.05, d); }},
                    QuickNoise{"outliers", [](double d) { return simulation::with_outliers(0.05, d); }}),
    [](const testing::TestParamInfo<QuickNoise>& noise) { return noise.param.name; });

// What a quick run saves: it took seven blocks, and twelve where one half counts.
TEST(QuickRun, TakesTwoToFourBlocksAtUsualNoise) {
  for (const double deviation : {0.002, 0.0035, 0.005}) {
    EXPECT_LT(quick_runs_of(simulation::independent(deviation), false).mean_blocks, 4.5);
    EXPECT_LT(quick_runs_of(simulation::independent(deviation), true).mean_blocks, 7);
  }
  EXPECT_LT(quick_runs_of(simulation::independent(0.0005), false).mean_blocks, 2.01);
  EXPECT_LT(quick_runs_of(simulation::independent(0.0005), true).mean_blocks, 4.01);
}

// The coin has too few tosses in a few blocks. So a quick run relies on rounds whose errors are independent.
TEST(QuickRun, MissesADisturbanceInStepWithItsBlocks) {
  EXPECT_GT(quick_runs_of(simulation::in_step(0.004, 0.001), false).outside, quick_runs * 0.2);
}

// Processes that each shift the ratio by a constant; the interval assumes the standard deviation `assumed`
// for it.
SpeedRatio pooled_with_offsets(Random& random, std::size_t processes, double offset, double assumed) {
  std::vector<SpeedRatio> ratios;
  for (std::size_t process = 0; process < processes; ++process) {
    std::vector<double> differences = simulated_differences(random, simulation::independent(0.01), 30);
    const double own = offset * random.normal();
    for (double& difference : differences) difference += own;
    ratios.push_back(ratio_within(differences));
  }
  return ratio_pooled(ratios, assumed);
}

TEST(Coverage, PooledProcessesHoldTheTruthWithOffsetsOfTheirOwn) {
  for (const std::size_t processes : {1u, 2u, 4u}) {
    const Interval found = coverage(77 + processes, 1500, [&](Random& random) {
      return holds_truth(pooled_with_offsets(random, processes, 0.006, 0.006));
    });
    EXPECT_TRUE(found.contains(0.95)) << processes << " processes: " << text(found);
  }
}

// The bound belongs to a device. If it is too large, intervals are too wide, which misleads no reader.
TEST(Coverage, OfOffsetsThatAreSmallerThanAssumedIsMoreThanPromised) {
  for (const std::size_t processes : {1u, 2u, 4u}) {
    const Interval found = coverage(91, 1000, [&](Random& random) {
      return holds_truth(pooled_with_offsets(random, processes, 0.003, 0.006));
    });
    EXPECT_GT(found.low, 0.95) << processes << " processes: " << text(found);
  }
}

// If it is too small, Student's interval covers processes that clearly differ. A factor of two is not clear,
// and costs what borrowed_offset_note() says.
TEST(Coverage, OfOffsetsThatAreLargerThanAssumed) {
  struct Larger {
    std::size_t processes;
    double factor;
    Interval expected;
  };
  for (const Larger& larger : {Larger{1, 2, {0.65, 0.75}},
                               {2, 2, {0.69, 0.79}},
                               {4, 2, {0.76, 0.85}},
                               {2, 10, {0.78, 0.87}},
                               {4, 10, {0.92, 0.97}}}) {
    const Interval found = coverage(91, 2000, [&](Random& random) {
      return holds_truth(pooled_with_offsets(random, larger.processes, larger.factor * 0.006, 0.006));
    });
    EXPECT_GT(found.low, larger.expected.low) << larger.processes << " processes: " << text(found);
    EXPECT_LT(found.high, larger.expected.high) << larger.processes << " processes: " << text(found);
  }
}

}  // namespace kgrade::coverage_test
