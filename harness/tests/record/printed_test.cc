// What a candidate printed, in records and tables.
#include "record/printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "record/record_json.h"
#include "record/table.h"
#include "tests/support/sample_record.h"

namespace kgrade::printed_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string many_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(Printed, IsCutIntoLines) {
  EXPECT_THAT(lines_printed("one\n\n  two\r\nthree", false).lines, ElementsAre("one", "", "  two", "three"));
  EXPECT_THAT(lines_printed("one\n\n\n", false).lines, ElementsAre("one"));
  EXPECT_TRUE(lines_printed("", false).lines.empty());
  EXPECT_TRUE(lines_printed(std::string(100, '\0'), false).lines.empty());
}

TEST(Printed, HoldsNothingThatATerminalObeys) {
  const Printed printed = lines_printed("\x1b[31mred\rover\xff\n", false);
  EXPECT_THAT(printed.lines, ElementsAre("\\x1b[31mred\\x0dover\\xff"));
}

TEST(Printed, IsBounded) {
  const Printed printed = lines_printed(many_lines(100) + std::string(50000, 'x'), true);
  EXPECT_EQ(printed.lines.size(), most_printed_lines);
  EXPECT_EQ(printed.more_lines, 61u);
  EXPECT_TRUE(printed.cut_off);
  EXPECT_EQ(lines_printed(std::string(5000, 'x'), false).lines.front(),
            std::string(longest_printed_line, 'x') + "...");
}

class PrintedRecord : public testing::Test {
 protected:
  Record record_with(const Printed& printed) {
    Record record = test::sample_record();
    record.candidates[0].cases[0].printed = printed;
    return record;
  }
  std::string table(const Printed& printed, bool verbose = true) {
    return render_table(record_with(printed), Style(false), verbose);
  }
};

TEST_F(PrintedRecord, ShowsItOnlyOnRequest) {
  const Printed printed = lines_printed("value 3\n", false);
  EXPECT_THAT(table(printed), AllOf(HasSubstr("printed in the first call of case '"),
                                    HasSubstr("\n    value 3\n"), Not(HasSubstr("more line"))));
  EXPECT_THAT(table(printed, false), Not(HasSubstr("value 3")));
}

TEST_F(PrintedRecord, SaysHowMuchIsLeftOut) {
  EXPECT_THAT(table(lines_printed(many_lines(42), false)), HasSubstr("\n    line 40\n    2 more lines\n"));
  EXPECT_THAT(table(lines_printed(many_lines(41), false)), HasSubstr("\n    1 more line\n"));
  EXPECT_THAT(table(lines_printed(many_lines(50), true)), HasSubstr("\n    at least 10 more lines\n"));
  EXPECT_THAT(table(lines_printed("x", true)), HasSubstr("\n    and more, which there was no room for\n"));
}

TEST_F(PrintedRecord, ComesBackFromItsJson) {
  const Record record = record_with({{"one", "two"}, 3, true});
  const auto read = parse_record(to_text(record), {}, RecordDetail::all);
  ASSERT_TRUE(read) << to_string(read.errors());
  const auto& printed = (*read)->candidates[0].cases[0].printed;
  ASSERT_TRUE(printed);
  EXPECT_THAT(printed->lines, ElementsAre("one", "two"));
  EXPECT_EQ(printed->more_lines, 3u);
  EXPECT_TRUE(printed->cut_off);
  const nlohmann::json without = to_json(test::sample_record());
  EXPECT_FALSE(without["candidates"][0]["cases"][0].contains("printed"));
}

TEST(GradedLines, ComeBackFromTheirJsonAndAreShown) {
  Record record = test::sample_record();
  record.candidates[0].lines = {12, 80};
  const auto read = parse_record(to_text(record), {}, RecordDetail::all);
  ASSERT_TRUE(read) << to_string(read.errors());
  ASSERT_TRUE((*read)->candidates[0].lines);
  EXPECT_EQ((*read)->candidates[0].lines->first, 12);
  EXPECT_EQ((*read)->candidates[0].lines->last, 80);
  EXPECT_FALSE((*read)->candidates[1].lines);
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr("good.cu  lines 12 to 80"));
  nlohmann::json json = to_json(record);
  for (const char* lines : {"[3]", "[3, 2]", "[0, 2]", "[1, 2, 3]", "\"1\""}) {
    json["candidates"][0]["lines"] = nlohmann::json::parse(lines);
    EXPECT_FALSE(parse_record(json.dump(), {}, RecordDetail::all)) << lines;
  }
}

}  // namespace kgrade::printed_test
