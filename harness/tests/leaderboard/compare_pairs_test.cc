// Which results are pairs of one candidate, and which pairs come first.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "leaderboard/compare.h"
#include "leaderboard/compare_output.h"
#include "tests/support/sample_results.h"

namespace kgrade::compare_pairs_test {

using test::record;
using test::refused;
using testing::HasSubstr;

TEST(CompareTable, WhatHasBecomeWorseComesFirstAndIsNeverCutOff) {
  std::vector<Record> before, after;
  for (int i = 0; i < 400; ++i) {
    before.push_back(record(fmt::format("a{:03}.cu", i), 1));
    after.push_back(record(fmt::format("a{:03}.cu", i), 2));
  }
  for (int i = 0; i < 100; ++i) {
    before.push_back(record(fmt::format("m{:02}.cu", i), 1));
    before.push_back(record(fmt::format("y{:02}.cu", i), 1));
    after.push_back(record(fmt::format("y{:02}.cu", i), 0.5));
    before.push_back(record(fmt::format("z{:02}.cu", i), 1));
    after.push_back(refused(record(fmt::format("z{:02}.cu", i), 1), Verdict::wrong_answer));
  }
  const ComparedRecords comparison = compare_records(before, after);
  const std::string table = render_table(comparison, Style(false));
  EXPECT_LT(table.find("z99.cu"), table.find("y00.cu")) << "no longer accepted before slower";
  EXPECT_LT(table.find("y99.cu"), table.find("a000.cu"));
  const std::string text = render_markdown(comparison);
  for (int i = 0; i < 100; ++i) {
    for (const char* name : {"m", "y", "z"})
      EXPECT_THAT(text, HasSubstr(fmt::format("{}{:02}&#46;cu", name, i)));
  }
  EXPECT_LT(text.find("z99&#46;cu"), text.find("y00&#46;cu"));
  EXPECT_THAT(text, HasSubstr(" more rows are left out; none of them is worse.\n"));
  EXPECT_LT(text.size(), 65'000u);
}

TEST(Compare, ABrokenLineIsSkippedAndCounted) {
  RecordsRead broken;
  broken.records = {record("a.cu", 1)};
  broken.unreadable = {{"is no record of kgrade grade", "", {"s.jsonl", 2, 0}}};
  broken.unreadable_count = 3;
  RecordsRead whole;
  whole.records = {record("a.cu", 2)};
  const ComparedRecords comparison = compare_results(broken, whole);
  EXPECT_EQ(summary_text(comparison), "3 no record and skipped, 1 faster");
  EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("  skipped: s.jsonl:2: "));
  EXPECT_THAT(render_markdown(comparison), HasSubstr("Skipped, because they are no records: 3, first "));
  EXPECT_TRUE(loses_accepted(comparison)) << "an accepted result may be among them";
}

TEST(Compare, TwoGpuModelsAreSaidToBeTwo) {
  const auto on = [](Record made, const std::string& name) {
    made.device.name = name;
    made.device.uuid = "GPU-" + name;
    return made;
  };
  const Record wrong = refused(record("b.cu", 1), Verdict::wrong_answer);
  const ComparedRecords comparison =
      compare_records({record("a.cu", 1), record("b.cu", 1)},
                      {on(record("a.cu", 2), "NVIDIA H100"), on(wrong, "NVIDIA H100")});
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_FALSE(comparison.pairs[0].speed);
  EXPECT_EQ(comparison.pairs[0].no_speed, "other device: not compared (NVIDIA H100, before NVIDIA H200)");
  EXPECT_EQ(comparison.pairs[1].change, VerdictChange::regression) << "verdicts can be compared";
  EXPECT_EQ(summary_text(comparison), "1 no longer accepted, 1 on another GPU model: not compared");
  EXPECT_EQ(count_of_missing(comparison), 0u);
  EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("other device"));
  // On the model that both sides have, the pair is of that.
  const ComparedRecords both = compare_records({record("a.cu", 1), on(record("a.cu", 1), "NVIDIA H100")},
                                               {on(record("a.cu", 2), "NVIDIA H100")});
  EXPECT_EQ(count_of(both, Statement::faster), 1u);
  EXPECT_EQ(count_of_missing(both), 1u);
}

TEST(Compare, ARenamedFileIsTheSame) {
  const auto of = [](Record made, char digit) {
    made.candidate().sha256 = std::string(64, digit);
    return made;
  };
  const ComparedRecords comparison = compare_records(
      {of(record("old/a.cu", 1), '1'), of(record("x.cu", 1), '2'), of(record("gone.cu", 1), '3')},
      {of(record("new/b.cu", 1), '1'), of(record("x.cu", 1), '2')});
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_EQ(comparison.pairs[0].before.candidate().path, "old/a.cu");
  EXPECT_EQ(comparison.pairs[0].after.candidate().path, "new/b.cu");
  EXPECT_EQ(count_of_missing(comparison), 1u);
  EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("old/a.cu -> new/b.cu"));
}

}  // namespace kgrade::compare_pairs_test
