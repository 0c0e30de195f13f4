// A comparison as a table, as Markdown and as JSON.
#include "leaderboard/compare_output.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "leaderboard/compare.h"
#include "record/ci_formats.h"
#include "tests/support/sample_results.h"

namespace kgrade::compare_output_test {

using test::record;
using test::refused;
using testing::HasSubstr;
using testing::Not;

Record refused(const std::string& path, Verdict verdict, const std::string& message) {
  return test::refused(record(path, 1), verdict, message);
}

// The same file has the same digest.
Record other_file(const std::string& path) {
  Record made = record(path, 1);
  made.candidate().sha256 = std::string(64, 'd');
  return made;
}

ComparedRecords some_comparison() {
  return compare_records(
      {record("a.cu", 1), record("b.cu", 1), record("old.cu", 1), record("w.cu", 1)},
      {record("a.cu", 2), record("b.cu", 0.5), other_file("new.cu"),
       refused("w.cu", Verdict::wrong_answer, "case 'tiny': <b>all</b> | wrong @you\n# x")});
}

TEST(CompareTable, HasARowAPairAndTheSuite) {
  EXPECT_EQ(render_table(some_comparison(), Style(false)),
            "  problem  candidate   speed  95 % interval\n"
            "  scale    w.cu            -                    no longer accepted  wrong_answer: case 'tiny': "
            "<b>all</b> | wrong @you # x\n"
            "  scale    b.cu       0.500x  0.493x to 0.507x  slower\n"
            "  scale    a.cu       2.000x  1.972x to 2.028x  faster\n"
            "  missing: scale  old.cu  NVIDIA H200  accepted\n"
            "  added: scale  new.cu  NVIDIA H200  accepted\n"
            "Geometric mean over 2 pairs: 1.000x (0.990x to 1.010x), same\n"
            "1 no longer accepted, 1 accepted before and missing now, 1 faster, 1 slower, 1 added\n");
}

TEST(CompareTable, APathIsTheSameHoweverItIsWritten) {
  Record older = record("x//a.cu", 1);
  for (CaseRecord& c : older.candidate().cases) c.measurement.reset();
  older.candidate().cases[0].speedups[0].ratio.interval.reset();
  const std::string text = render_table(compare_records({older}, {record("x/./a.cu", 2)}), Style(false));
  EXPECT_THAT(text, HasSubstr("  x/a.cu     2.00x                 inconclusive\n"));
}

TEST(CompareTable, MarkdownQuotesAreNoMarkup) {
  const std::string text = render_markdown(some_comparison());
  EXPECT_THAT(text,
              HasSubstr("**1 no longer accepted, 1 accepted before and missing now, 1 faster, 1 slower, "
                        "1 added**\n"));
  EXPECT_THAT(text,
              HasSubstr("| scale | <code>a&#46;cu</code> | 2.000x | 1.972x to 2.028x | **faster** |  |\n"));
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  EXPECT_THAT(text, Not(HasSubstr("@you")));
  EXPECT_THAT(text, Not(HasSubstr("\n# x")));
  EXPECT_THAT(
      text, HasSubstr("Added: 1\n\n- scale, <code>new&#46;cu</code>, <code>NVIDIA H200</code>: accepted\n"));
}

TEST(CompareTable, MarkdownOfManyPairsEnds) {
  std::vector<Record> before, after;
  for (int i = 0; i < 1000; ++i) {
    before.push_back(record(std::to_string(i) + ".cu", 1));
    after.push_back(record(std::to_string(i) + ".cu", 2));
  }
  for (int i = 0; i < 1000; ++i)
    after.push_back(record("new" + std::string(300, '|') + std::to_string(i), 2));
  const std::string text = render_markdown(compare_records(before, after));
  EXPECT_THAT(text, HasSubstr(" more rows are left out; none of them is worse.\n"));
  EXPECT_LT(text.size(), 65536u) << "a comment holds no more";
}

TEST(CompareTable, NoSpeedsOfADeviceWithoutSpeed) {
  Record e = record("a.cu", std::vector<CaseRecord>{});
  e.device.measures_speed = false;
  const auto comparison = compare_records({e}, {e});
  EXPECT_THAT(render_table(comparison, Style(false)), HasSubstr("accepted"));
  EXPECT_THAT(render_table(comparison, Style(false)), Not(HasSubstr("x")));
  EXPECT_THAT(render_markdown(comparison),
              HasSubstr("**nothing changed**\n\nAccepted before and after: 1\n"));
}

TEST(CompareJson, IsUnrounded) {
  const nlohmann::json written = to_json(some_comparison());
  EXPECT_EQ(written["counts"], nlohmann::json({{"pairs", 3},
                                               {"faster", 1},
                                               {"slower", 1},
                                               {"same", 0},
                                               {"inconclusive", 0},
                                               {"same_files_on_other_device", 0},
                                               {"no_longer_accepted", 1},
                                               {"lower_class", 0},
                                               {"missing", 1},
                                               {"now_accepted", 0},
                                               {"superseded", 0}}));
  EXPECT_EQ(written["pairs"][0]["speed"]["ratio"], 2);
  EXPECT_EQ(written["pairs"][0]["speed"]["statement"], "faster");
  EXPECT_TRUE(written["pairs"][2]["speed"].is_null());
  EXPECT_EQ(written["pairs"][2]["verdict_change"], "regression");
  EXPECT_EQ(written["suite"]["pairs"], 2);
  EXPECT_EQ(written["added"][0]["candidate"], "new.cu");
  EXPECT_TRUE(nlohmann::json(to_json(compare_records({}, {})))["suite"].is_null());
}

TEST(MarkdownText, CodeHasNothingButItsText) {
  EXPECT_EQ(markdown_code("a/b_c-1.cu"), "<code>a/b&#95;c-1&#46;cu</code>");
  EXPECT_EQ(markdown_code("|`\n</code>\x1b"), "<code>&#124;&#96; &#60;/code&#62;&#92;x1b</code>");
  EXPECT_EQ(markdown_code("12\xc3\xa4"
                          "5",
                          3),
            "<code>12...</code>");
}

// Which results are pairs of one candidate, and which pairs come first.

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

}  // namespace kgrade::compare_output_test
