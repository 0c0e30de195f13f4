// A record of a self-test as tables, JSON and a picture.
#include "selftest/selftest_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sample_selftest.h"

namespace kgrade {
namespace selftest_output_test {

using test::blank_selftest;
using test::comparison_of;
using test::usual;
using testing::HasSubstr;
using testing::Not;

// One of 20 intervals excludes 1, nothing is called, every slow-down is seen.
SelftestRecord good_record() {
  SelftestRecord record = blank_selftest();
  for (int i = 0; i < 19; ++i) record.comparisons.push_back(usual(i % 2));
  record.comparisons.push_back(comparison_of(1, 0, 1.001, 1.003, 1.005));
  for (int i = 0; i < 10; ++i) record.comparisons.push_back(comparison_of(1, 0.02, 0.978, 0.98, 0.983));
  record.total_seconds = 12.5;
  conclude(record);
  return record;
}

std::string table_of(const SelftestRecord& record) { return render_table(record, Style(false)); }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SelftestTable, HasALineForEachCriterionAndAVerdict) {
  const std::string table = table_of(good_record());
  EXPECT_THAT(table, HasSubstr("the same binary called faster or slower   0 of 20    0.00 %  0.0 to 16.8 %"));
  EXPECT_THAT(table, HasSubstr("at most 1 %    holds"));
  EXPECT_THAT(table, HasSubstr("2 to 8 %       holds"));
  EXPECT_THAT(table, HasSubstr("2 % slower seen, 20 us and more          10 of 10"));
  EXPECT_THAT(table, HasSubstr("at least 90 %  holds"));
  EXPECT_THAT(table, HasSubstr("The measuring protocol holds on this machine."));
}

TEST(SelftestTable, SaysTheFloorTheGrainAndWhoIsLimitedByIt) {
  const std::string table = table_of(good_record());
  EXPECT_THAT(table, HasSubstr("an empty kernel takes 2.72 us"));
  EXPECT_THAT(table, HasSubstr("the clock's grain is 0.032 us"));
  EXPECT_THAT(table, HasSubstr("limited by launching"));
  EXPECT_THAT(table, HasSubstr("the same processes for all; seed 18446744073709551615"));
}

TEST(SelftestTable, SaysWhatDoesNotHold) {
  SelftestRecord record = good_record();
  for (int i = 0; i < 4; ++i) record.comparisons.push_back(comparison_of(0, 0, 1.02, 1.03, 1.04));
  record.fresh_processes = true;
  conclude(record);
  const std::string table = table_of(record);
  EXPECT_THAT(table, HasSubstr("at most 1 %    does not hold"));
  EXPECT_THAT(table, HasSubstr("The measuring protocol does not hold on this machine."));
  EXPECT_THAT(table, HasSubstr("new processes for each"));
}

TEST(SelftestTable, SaysWhenThereIsTooLittleToSay) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {usual(0)};
  conclude(record);
  const std::string table = table_of(record);
  EXPECT_THAT(table, HasSubstr("too few to say"));
  EXPECT_THAT(table, HasSubstr("Nothing speaks against the measuring protocol"));
}

TEST(SelftestTable, TellsOfDisturbancesAndRefusals) {
  SelftestRecord record = good_record();
  record.comparisons[0].ratio.reset();
  record.comparisons[0].end = BlockEnd::disturbed;
  record.comparisons[1].ratio.reset();
  record.comparisons[1].problem = "unstable: something";
  record.notes = {"beware"};
  conclude(record);
  const std::string table = table_of(record);
  EXPECT_THAT(table, HasSubstr("1 comparison disturbed by heat or a power brake"));
  EXPECT_THAT(table, HasSubstr("1 comparison refused; the first, of read-20us: unstable: something"));
  EXPECT_THAT(table, HasSubstr("note: beware"));
}

TEST(SelftestTable, ShowsNoTimeThatIsNoSpeed) {
  SelftestRecord record = good_record();
  record.device.measures_speed = false;
  const std::string table = table_of(record);
  EXPECT_THAT(table, HasSubstr("Times of this device do not measure speed: nothing is judged."));
  EXPECT_THAT(table, Not(HasSubstr(" us")));
  EXPECT_THAT(table, Not(HasSubstr("%")));
  EXPECT_THAT(table, Not(HasSubstr("holds")));
}

TEST(SelftestJson, KeepsEveryEstimateAndInterval) {
  const SelftestRecord record = good_record();
  const auto json = to_json(record);
  EXPECT_EQ(json["schema"], "kgrade-selftest");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["seed"], "18446744073709551615");
  ASSERT_EQ(json["comparisons"].size(), 30u);
  EXPECT_EQ(json["comparisons"][19]["kernel"], "read-20us");
  EXPECT_EQ(json["comparisons"][19]["ratio"]["speedup"], 1.003);
  EXPECT_EQ(json["comparisons"][19]["ratio"]["interval"]["high"], 1.005);
  EXPECT_EQ(json["criteria"][1]["share"]["count"], 1);
  EXPECT_EQ(json["criteria"][1]["outcome"], "holds");
  EXPECT_EQ(json["all"]["same"]["false_calls"]["interval"]["low"], 0);
  EXPECT_EQ(json["kernels"][1]["slowed"][0]["seen"]["count"], 10);
  EXPECT_EQ(json["floor"]["samples_ms"].size(), 4u);
}

TEST(SelftestJson, JudgesNothingWhereTimesAreNoSpeed) {
  SelftestRecord record = good_record();
  record.device.measures_speed = false;
  const auto json = to_json(record);
  EXPECT_EQ(json["judged"], false);
  EXPECT_TRUE(json["criteria"].empty());
}

TEST(SelftestPicture, HasAMarkForEveryComparisonOfTheSameWork) {
  const std::string svg = render_svg(good_record());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_EQ(count_of(svg, "r=\"2.2\""), 20u);
  EXPECT_EQ(count_of(svg, "stroke-width=\"1.5\""), 20u) << "intervals";
  EXPECT_THAT(svg, HasSubstr("arithmetic-5us"));
  EXPECT_THAT(svg, HasSubstr("+1 %"));
  EXPECT_THAT(svg, HasSubstr("A &lt;GPU&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(SelftestPicture, ShowsNoSpeedWhereThereIsNone) {
  SelftestRecord record = good_record();
  record.device.measures_speed = false;
  const std::string svg = render_svg(record);
  EXPECT_EQ(count_of(svg, "r=\"2.2\""), 0u);
  EXPECT_THAT(svg, HasSubstr("Times of this device do not measure speed."));
  EXPECT_THAT(svg, Not(HasSubstr(" us<")));
}

TEST(SelftestPicture, CutsOffWhatLiesBeyondTheScale) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {comparison_of(0, 0, 0.5, 2, 3)};
  conclude(record);
  const std::string svg = render_svg(record);
  // The plot reaches from 56 to 416.
  EXPECT_THAT(svg, HasSubstr("y1=\"416.0\" x2=\"122.0\" y2=\"56.0\" stroke=\"#3b82c4\""));
}

}  // namespace selftest_output_test
}  // namespace kgrade
