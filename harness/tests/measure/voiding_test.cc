#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/block_run.h"

namespace kgrade::voiding_test {

using testing::HasSubstr;

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

}  // namespace kgrade::voiding_test
