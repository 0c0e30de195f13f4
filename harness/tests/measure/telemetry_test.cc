#include "measure/telemetry.h"

#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <utility>

#include "measure/block_run.h"

namespace kgrade::telemetry_test {

using std::chrono_literals::operator""ms;
using testing::ElementsAre;
using testing::IsEmpty;
using Moment = std::chrono::steady_clock::time_point;

constexpr SamplerOptions only_when_asked{0ms, 0ms, 4096};

Moment moment(double seconds) {
  return Moment(std::chrono::duration_cast<Moment::duration>(std::chrono::duration<double>(seconds)));
}

TelemetryReading reading_at(double seconds, std::uint64_t reasons = 0) {
  TelemetryReading reading;
  reading.at = moment(seconds);
  reading.clock_event_reasons = reasons;
  reading.reasons_known = true;
  return reading;
}

struct ManualClock : Clock {
  double now() const override { return seconds; }
  double seconds = 100;
};

// Every reading returns the current `next`, at the clock's time.
struct ScriptedTelemetry : Telemetry {
  explicit ScriptedTelemetry(const ManualClock& its_clock) : clock(its_clock) {}

  std::optional<TelemetryReading> read() override {
    ++reads;
    if (!answers) return std::nullopt;
    next.at = moment(clock.seconds);
    if (during_read) during_read();
    return next;
  }
  std::string absent() const override { return why_absent; }
  std::vector<std::string> missing() const override { return {"power: Not Supported"}; }

  const ManualClock& clock;
  TelemetryReading next = reading_at(0);
  bool answers = true;
  std::string why_absent;
  std::function<void()> during_read;
  int reads = 0;
};

class SamplerTest : public testing::Test {
 protected:
  void mark(TelemetrySampler& sampler, std::uint64_t reasons) {
    telemetry_.next.clock_event_reasons = reasons;
    sampler.mark();
    clock_.seconds += 0.01;
  }

  ManualClock clock_;
  ScriptedTelemetry telemetry_{clock_};
};

TEST(ReasonNames, AreThoseOfTheBits) {
  EXPECT_THAT(reason_names(0), IsEmpty());
  EXPECT_THAT(reason_names(0x7ff),
              ElementsAre("gpu_idle", "applications_clocks", "sw_power_cap", "hw_slowdown", "sync_boost",
                          "sw_thermal", "hw_thermal", "hw_power_brake", "display_clock", "board_limit",
                          "reliability"));
  EXPECT_THAT(reason_names(clock_event::hw_power_brake | 0x800),
              ElementsAre("hw_power_brake", "reason_0x800"));
  EXPECT_THAT(reason_names(std::uint64_t{1} << 63), ElementsAre("reason_0x8000000000000000"));
}

TEST(TelemetryLog, WithoutReadingsHasNothingToSay) {
  const TelemetrySummary summary = TelemetryLog().summary();
  EXPECT_EQ(summary.readings, 0u);
  EXPECT_EQ(summary.seconds, 0);
  EXPECT_FALSE(summary.sm_clock_mhz);
  EXPECT_FALSE(summary.reasons_known);
  EXPECT_THAT(summary.reasons, IsEmpty());
  EXPECT_FALSE(summary.other_processes);
}

TEST(TelemetryLog, GivesMinimumMedianAndMaximum) {
  TelemetryLog log;
  for (const unsigned mhz : {1980u, 1200u, 1950u, 1900u}) {
    TelemetryReading reading = reading_at(static_cast<double>(log.kept().size()));
    reading.sm_clock_mhz = mhz;
    if (mhz != 1200) reading.temperature_celsius = mhz - 1900;
    log.add(reading);
  }
  const TelemetrySummary summary = log.summary();
  EXPECT_EQ(summary.sm_clock_mhz, (TelemetryRange{1200, 1925, 1980}));
  EXPECT_EQ(summary.temperature_celsius, (TelemetryRange{0, 50, 80}));
  EXPECT_FALSE(summary.power_milliwatts);
  EXPECT_EQ(summary.readings, 4u);
  EXPECT_EQ(summary.seconds, 3);
}

TEST(TelemetryLog, KeepsEveryFigureApart) {
  TelemetryReading reading = reading_at(0);
  reading.sm_clock_mhz = 1;
  reading.memory_clock_mhz = 2;
  reading.power_milliwatts = 3;
  reading.power_limit_milliwatts = 4;
  reading.temperature_celsius = 5;
  TelemetryLog log;
  log.add(reading);
  const TelemetrySummary summary = log.summary();
  EXPECT_EQ(summary.sm_clock_mhz, (TelemetryRange{1, 1, 1}));
  EXPECT_EQ(summary.memory_clock_mhz, (TelemetryRange{2, 2, 2}));
  EXPECT_EQ(summary.power_milliwatts, (TelemetryRange{3, 3, 3}));
  EXPECT_EQ(summary.power_limit_milliwatts, (TelemetryRange{4, 4, 4}));
  EXPECT_EQ(summary.temperature_celsius, (TelemetryRange{5, 5, 5}));
}

TEST(TelemetryLog, AReadingStandsForTheTimeHalfwayToItsNeighbours) {
  TelemetryLog log;
  log.add(reading_at(0));
  log.add(reading_at(2, clock_event::sw_power_cap));
  log.add(reading_at(3, clock_event::sw_power_cap | clock_event::hw_thermal));
  log.add(reading_at(8));
  const TelemetrySummary summary = log.summary();
  EXPECT_THAT(summary.reasons,
              ElementsAre(ReasonShare{"sw_power_cap", 4.5 / 8}, ReasonShare{"hw_thermal", 3.0 / 8}));
  EXPECT_EQ(summary.power_capped_share, 4.5 / 8);
}

TEST(TelemetryLog, ReadingsInQuickSuccessionWeighNoMore) {
  TelemetryLog log;
  log.add(reading_at(0));
  for (int i = 0; i < 1000; ++i) log.add(reading_at(4 + 1e-6 * i, clock_event::sw_power_cap));
  log.add(reading_at(8));
  EXPECT_NEAR(log.summary().power_capped_share, 0.5, 1e-3);
}

TEST(TelemetryLog, OneMomentIsCountedByReadings) {
  TelemetryLog log;
  log.add(reading_at(5, clock_event::gpu_idle));
  EXPECT_THAT(log.summary().reasons, ElementsAre(ReasonShare{"gpu_idle", 1}));
  log.add(reading_at(5));
  EXPECT_THAT(log.summary().reasons, ElementsAre(ReasonShare{"gpu_idle", 0.5}));
}

TEST(TelemetryLog, ReadingsWithoutReasonsHaveNoShare) {
  TelemetryLog log;
  TelemetryReading ignorant;
  ignorant.clock_event_reasons = clock_event::hw_slowdown;
  log.add(ignorant);
  EXPECT_FALSE(log.summary().reasons_known);
  EXPECT_THAT(log.summary().reasons, IsEmpty());
  log.add(reading_at(1, clock_event::gpu_idle));
  EXPECT_THAT(log.summary().reasons, ElementsAre(ReasonShare{"gpu_idle", 1}));
}

TEST(TelemetryLog, TellsTheMostOtherProcesses) {
  TelemetryLog log;
  for (const std::optional<unsigned> others : {std::optional<unsigned>(0u), std::optional<unsigned>(2u),
                                               std::optional<unsigned>(1u), std::optional<unsigned>()}) {
    TelemetryReading reading = reading_at(0);
    reading.other_processes = others;
    log.add(reading);
  }
  EXPECT_EQ(log.summary().other_processes, 2u);
}

TEST(TelemetryLog, ThinsOutEvenlyAndForgetsNoExtreme) {
  constexpr int count = 10000;
  TelemetryLog log(100);
  for (int i = 0; i < count; ++i) {
    TelemetryReading reading = reading_at(i, i % 4 == 0 ? clock_event::sw_power_cap : 0);
    reading.sm_clock_mhz = i == 4321 ? 7 : 1000 + static_cast<unsigned>(i);
    log.add(reading);
    ASSERT_LE(log.kept().size(), 100u);
  }
  EXPECT_GT(log.kept().size(), 50u);
  for (std::size_t i = 1; i < log.kept().size(); ++i) {
    EXPECT_EQ(log.kept()[i].at - log.kept()[i - 1].at, log.kept()[1].at - log.kept()[0].at);
  }
  const TelemetrySummary summary = log.summary();
  EXPECT_EQ(summary.readings, static_cast<std::uint64_t>(count));
  EXPECT_EQ(summary.sm_clock_mhz->minimum, 7u);
  EXPECT_EQ(summary.sm_clock_mhz->maximum, 10999u);
  EXPECT_NEAR(summary.sm_clock_mhz->median, 6000, 200);
  EXPECT_NEAR(summary.power_capped_share, 0.25, 1e-3);
}

TEST_F(SamplerTest, AMarkIsAReading) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  telemetry_.next.sm_clock_mhz = 1980;
  const auto reading = sampler.mark();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->sm_clock_mhz, 1980u);
  EXPECT_EQ(reading->at, moment(100));
  EXPECT_EQ(sampler.summary().readings, 1u);
  EXPECT_THAT(sampler.summary().missing, ElementsAre("power: Not Supported"));
}

TEST_F(SamplerTest, ABlockSeesItsBeginItsEndAndAllBetween) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  mark(sampler, clock_event::hw_slowdown);
  telemetry_.next.clock_event_reasons = clock_event::gpu_idle;
  sampler.begin_block();
  telemetry_.next.other_processes = 3;
  mark(sampler, clock_event::sw_power_cap);
  telemetry_.next.clock_event_reasons = clock_event::sw_thermal;
  telemetry_.next.other_processes = 1;
  EXPECT_EQ(sampler.end_block(),
            (BlockTelemetry{clock_event::gpu_idle | clock_event::sw_power_cap | clock_event::sw_thermal, true,
                            3, 3u}));
  telemetry_.next.clock_event_reasons = 0;
  sampler.begin_block();
  EXPECT_EQ(sampler.end_block(), (BlockTelemetry{0, true, 2, 1u}));
}

TEST_F(SamplerTest, ABlockTakesAFreshReadingForItsOwn) {
  TelemetrySampler sampler(telemetry_, clock_, {0ms, 5ms, 4096});
  telemetry_.next.clock_event_reasons = clock_event::hw_thermal;
  sampler.begin_block();
  clock_.seconds += 0.004;
  EXPECT_EQ(sampler.end_block().reasons, clock_event::hw_thermal);
  EXPECT_EQ(telemetry_.reads, 1);
  sampler.begin_block();
  EXPECT_EQ(telemetry_.reads, 1);
  clock_.seconds += 0.004;
  telemetry_.next.clock_event_reasons = clock_event::sw_power_cap;
  EXPECT_EQ(sampler.end_block().reasons, clock_event::hw_thermal | clock_event::sw_power_cap);
  EXPECT_EQ(telemetry_.reads, 2);
}

TEST_F(SamplerTest, ReadingsThatFailAreCounted) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  telemetry_.answers = false;
  sampler.begin_block();
  EXPECT_EQ(sampler.end_block(), BlockTelemetry{});
  EXPECT_EQ(sampler.summary().failed_readings, 2u);
  EXPECT_EQ(sampler.summary().readings, 0u);
}

TEST_F(SamplerTest, WithoutTelemetryNothingIsReadAndTheReasonTold) {
  telemetry_.why_absent = "no driver";
  TelemetrySampler sampler(telemetry_, clock_);
  sampler.begin_block();
  EXPECT_EQ(sampler.end_block(), BlockTelemetry{});
  EXPECT_FALSE(sampler.mark());
  EXPECT_EQ(sampler.summary().absent, "no driver");
  EXPECT_EQ(sampler.summary().failed_readings, 0u);
  EXPECT_EQ(telemetry_.reads, 0);
}

TEST_F(SamplerTest, ReadingsCountForTheArmThatRuns) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  mark(sampler, clock_event::sw_power_cap);
  sampler.running(2);
  mark(sampler, clock_event::sw_power_cap);
  mark(sampler, 0);
  sampler.running(0);
  mark(sampler, clock_event::sw_thermal);
  sampler.running_nothing();
  mark(sampler, clock_event::sw_power_cap);
  EXPECT_THAT(sampler.arms(), ElementsAre(ArmReadings{1, 0}, ArmReadings{0, 0}, ArmReadings{2, 1}));
}

TEST_F(SamplerTest, AReadingDuringWhichTheArmChangesCountsForNone) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  sampler.running(0);
  telemetry_.during_read = [&] { sampler.running(1); };
  mark(sampler, clock_event::sw_power_cap);
  EXPECT_THAT(sampler.arms(), IsEmpty());
  EXPECT_EQ(sampler.summary().power_capped_share, 1);
}

TEST_F(SamplerTest, WatchesBlocks) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  TelemetryWatch watch(sampler);
  watch.begin_block();
  EXPECT_EQ(watch.end_block(), "");
  EXPECT_TRUE(watch.has_seen_any());
  watch.begin_block();
  mark(sampler, clock_event::hw_power_brake | clock_event::hw_slowdown);
  telemetry_.next.clock_event_reasons = 0;
  EXPECT_EQ(watch.end_block(), "the power brake");
}

TEST_F(SamplerTest, ABlockThatNobodyWatchedCounts) {
  TelemetrySampler sampler(telemetry_, clock_, only_when_asked);
  TelemetryWatch watch(sampler);
  telemetry_.next.reasons_known = false;
  watch.begin_block();
  EXPECT_EQ(watch.end_block(), "");
  EXPECT_FALSE(watch.has_seen_any());
  telemetry_.next.reasons_known = true;
  watch.begin_block();
  mark(sampler, clock_event::sw_power_cap);
  EXPECT_EQ(watch.end_block(), "");
  EXPECT_TRUE(watch.has_seen_any());
}

TEST(NoTelemetry, SaysWhy) {
  const auto telemetry = no_telemetry("the emulated device has none");
  EXPECT_EQ(telemetry->absent(), "the emulated device has none");
  EXPECT_FALSE(telemetry->read());
  EXPECT_THAT(telemetry->missing(), IsEmpty());
}

// Counts without a lock: the sampler must make sure that one thread reads at a time.
struct CountingTelemetry : Telemetry {
  std::optional<TelemetryReading> read() override {
    ++reads;
    TelemetryReading reading = reading_at(0, clock_event::sw_power_cap);
    reading.at = std::chrono::steady_clock::now();
    if (reads == wanted) reached.set_value();
    return reading;
  }
  std::string absent() const override { return {}; }

  int reads = 0;
  int wanted = -1;
  std::promise<void> reached;
};

TEST(SamplerThread, ReadsByItselfUntilTheSamplerGoes) {
  CountingTelemetry telemetry;
  telemetry.wanted = 20;
  const SteadyClock clock;
  {
    TelemetrySampler sampler(telemetry, clock, {1ms, 5ms, 4096});
    sampler.running(1);
    telemetry.reached.get_future().wait();
    EXPECT_GE(sampler.summary().readings, 19u);
    EXPECT_EQ(sampler.summary().power_capped_share, 1);
    EXPECT_GE(sampler.arms().at(1).readings, 1u);
  }
  EXPECT_GE(telemetry.reads, 20);
}

TEST(SamplerThread, BlocksAndMarksMeetItsReadings) {
  CountingTelemetry telemetry;
  const SteadyClock clock;
  std::uint64_t marks = 0;
  {
    TelemetrySampler sampler(telemetry, clock, {1ms, 0ms, 64});
    for (std::size_t i = 0; i < 500; ++i) {
      sampler.begin_block();
      sampler.running(i % 2);
      if (sampler.mark()) ++marks;
      sampler.running_nothing();
      EXPECT_GE(sampler.end_block().readings, 3u);
      EXPECT_LE(sampler.kept().size(), 64u);
    }
    EXPECT_GE(sampler.summary().readings, 1500u);
    const auto arms = sampler.arms();
    ASSERT_EQ(arms.size(), 2u);
    EXPECT_GE(arms[0].readings, 250u);
    EXPECT_EQ(arms[1].power_capped, arms[1].readings);
  }
  EXPECT_EQ(marks, 500u);
  EXPECT_GE(telemetry.reads, 1500);
}

TEST(SamplerThread, EndsAtOnceWhenNothingWasRead) {
  CountingTelemetry telemetry;
  const SteadyClock clock;
  // If a destructor waited for the interval, the test would take a day.
  TelemetrySampler(telemetry, clock, {std::chrono::hours(24), 5ms, 4096}).mark();
  EXPECT_GE(telemetry.reads, 1);
}

}  // namespace kgrade::telemetry_test
