// What a candidate printed, in records and tables.
#include "record/printed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "record/python_report.h"
#include "record/record_json.h"
#include "record/table.h"
#include "tests/support/sample_record.h"

namespace kgrade::printed_test {

using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

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
  json written = to_json(record);
  for (const char* lines : {"[3]", "[3, 2]", "[0, 2]", "[1, 2, 3]", "\"1\""}) {
    written["candidates"][0]["lines"] = nlohmann::json::parse(lines);
    EXPECT_FALSE(parse_record(written.dump(), {}, RecordDetail::all)) << lines;
  }
}

// What a candidate in Python says of its rehearsal: it says what it likes, and names alone are taken.

PythonRecord read(const std::string& report) {
  PythonRecord record;
  record.headers = {"before"};
  record.functions = {"before"};
  read_python_report(report, record);
  return record;
}

TEST(PythonReports, AreTakenIntoTheRecord) {
  const PythonRecord record =
      read(R"({"operators": ["conv1d", "_C.linalg.norm"], "headers": ["small", "torch"]})");
  EXPECT_THAT(record.functions, ElementsAre("conv1d", "_C.linalg.norm"));
  EXPECT_THAT(record.headers, ElementsAre("small", "torch"));
}

TEST(PythonReports, OfOtherFormsAreLeftOut) {
  for (const std::string& report :
       {std::string(), std::string("{"), std::string("[]"), std::string("3"), std::string("\xff\xfe"),
        std::string(200'000, '['),
        "{\"operators\": " + std::string(200'000, '[') + std::string(200'000, ']')}) {
    const PythonRecord record = read(report);
    EXPECT_THAT(record.functions, ElementsAre("before")) << report.substr(0, 40);
    EXPECT_THAT(record.headers, ElementsAre("before")) << report.substr(0, 40);
  }
  for (const char* list : {"{}", "3", "\"conv1d\"", "null", "[]", "[1, null, [\"conv1d\"], {}]"})
    EXPECT_THAT(read(std::string(R"({"operators": )") + list + "}").functions, IsEmpty()) << list;
  EXPECT_THAT(read("{}").headers, IsEmpty());
}

TEST(PythonReports, NameTheWeightsThatAModuleDoesWithout) {
  EXPECT_THAT(left_out_note(R"({"left_out": ["fc_bias", "<b>", "fc_weight"]})"),
              HasSubstr("no parameter for fc_bias, fc_weight: "));
  for (const char* report : {"", "3", "{}", R"({"left_out": []})", R"({"left_out": "fc_bias"})"})
    EXPECT_EQ(left_out_note(report), "") << report;
}

TEST(PythonReports, NestedForEverAreNoNames) {
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(read(R"({"operators": )" + nested + "}").functions, IsEmpty());
}

TEST(PythonReports, HoldNothingThatAPageOrATerminalObeys) {
  const json names = {
      "relu", "<b>", "\x1b[31m", "a b", "a\nb", "", "m\xc3\xa4", std::string(61, 'a'), std::string(60, 'a')};
  EXPECT_THAT(read(json{{"operators", names}}.dump()).functions, ElementsAre("relu", std::string(60, 'a')));
}

TEST(PythonReports, AreBounded) {
  const json names = std::vector<std::string>(1000, "relu");
  const PythonRecord record = read(json{{"operators", names}, {"headers", names}}.dump());
  EXPECT_THAT(record.functions, AllOf(SizeIs(40), Each("relu")));
  EXPECT_THAT(record.headers, SizeIs(40));
}

TEST(PythonReports, AreANoteIfPyTorchComputedSomething) {
  PythonRecord record;
  EXPECT_EQ(functions_note(record), "");
  record.functions = {"conv1d", "relu"};
  EXPECT_EQ(functions_note(record), "PyTorch computed conv1d, relu (as seen in the rehearsal)");
}

}  // namespace kgrade::printed_test
