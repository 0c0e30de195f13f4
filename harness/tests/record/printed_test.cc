// What a candidate printed, in records and tables.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "record/agent_line.h"
#include "record/candidate_reports.h"
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

json line_of(const Record& record, std::size_t candidate) {
  const std::string line = agent_line(record.candidates[candidate], record);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
  EXPECT_LE(line.size(), longest_agent_line);
  return json::parse(line);
}

TEST(AgentLine, SaysOfAnAcceptedCandidateWhereItIsSlowest) {
  const json line = line_of(test::sample_record(), 0);
  EXPECT_EQ(line["stage"], "done");
  EXPECT_EQ(line["verdict"], "accepted");
  EXPECT_EQ(line["cases"], json::parse(R"({"run": 2, "all": 2})"));
  EXPECT_EQ(line["speedup"]["geometric_mean"], 2);
  EXPECT_EQ(line["slowest_case"]["case"], "large");
  EXPECT_DOUBLE_EQ(line["slowest_case"]["roofline_share"], 2 / 3.0);
  EXPECT_THAT(line["next"].get<std::string>(), HasSubstr("make case 'large' faster: it reaches 67 %"));
  EXPECT_TRUE(line["first_wrong"].is_null());
  EXPECT_TRUE(line["by_set"].is_null());
}

TEST(AgentLine, HasTheVerdictOfTheProblemsSet) {
  Record record = test::sample_record();
  record.candidates[1].by_set = CandidateBySet{SetVerdict::not_decided, 0, 1, {}, {}};
  EXPECT_EQ(line_of(record, 1)["by_set"], "not_decided");
}

TEST(AgentLine, GivesNoSpeedupOverAReferenceOfABetterClass) {
  Record record = test::sample_record();
  CandidateRecord& candidate = record.candidates[0];
  candidate.precision = Precision::tf32;
  candidate.by_baseline = {candidate.scores.front()};  // as keep_to_class() does
  candidate.scores.clear();
  const json line = line_of(record, 0);
  EXPECT_TRUE(line["speedup"].is_null());
  EXPECT_TRUE(line["slowest_case"].is_null());
  EXPECT_THAT(line["next"].get<std::string>(), HasSubstr("--baselines pytorch"));
}

TEST(AgentLine, SaysOfAWrongOneWhichElementAndWhatToRun) {
  Record record = test::sample_record();
  record.candidates[1].cases[0].wrong =
      WrongOutput{"out", 6, 2, 1, 0, "the last of each row", {{{0, 1}, "0.5", "never written"}}};
  const json line = line_of(record, 1);
  EXPECT_EQ(line["stage"], "answers");
  EXPECT_EQ(line["reason"], "case 'tiny': all wrong");
  EXPECT_EQ(line["first_wrong"]["case"], "tiny");
  EXPECT_EQ(line["first_wrong"]["index"], json({0, 1}));
  EXPECT_EQ(line["first_wrong"]["expected"], "0.5");
  EXPECT_EQ(line["first_wrong"]["got"], "never written");
  EXPECT_EQ(line["next"], "run `kgrade check scale bad.cu --case tiny`");
  // No slug leads to a problem that is a Python file.
  record.reference = {"level1/23_Softmax.py", record.problem_sha256};
  EXPECT_EQ(line_of(record, 1)["next"], "run `kgrade check level1/23_Softmax.py bad.cu --case tiny`");
  record.problem_sha256 = std::string(64, 'e');  // as --inputs changes it
  record.inputs = {"normal(0, 2)"};
  EXPECT_THAT(std::string(line_of(record, 1)["next"]), HasSubstr("kgrade check level1/23_Softmax.py bad.cu"));
}

// A file in a folder of one's own has a slug that no command finds.
TEST(AgentLine, NamesAProblemAsTheUserDid) {
  Record record = test::sample_record();
  record.problem_named = "my problems/scale.md";
  EXPECT_EQ(line_of(record, 1)["next"], "run `kgrade check 'my problems/scale.md' bad.cu --case tiny`");
  // A record that was read has only the path into the problem's set.
  record.problem_named.clear();
  record.problem_path = "set/scale";
  EXPECT_EQ(line_of(record, 1)["next"], "run `kgrade check set/scale bad.cu --case tiny`");
}

// `kgrade check` calls on no families, and other seeds draw other ones.
TEST(AgentLine, NamesTheSeedOfAWrongAnswerOnFamiliesOfInputs) {
  Record record = test::sample_record();
  record.candidates[1].seed = 7;
  record.candidates[1].cases[0].families = {{"x: elements are multiplied by 4", true}};
  EXPECT_EQ(line_of(record, 1)["next"], "run `kgrade grade scale bad.cu --case tiny --seed 7`");
}

// As `kgrade import` writes it: its cases are not those of the Python file.
TEST(AgentLine, NamesAProblemFileWhoseReferenceIsAPythonFileByItsSlug) {
  Record record = test::sample_record();
  record.reference = {"problems/softmax.py", std::string(64, 'e')};
  EXPECT_EQ(line_of(record, 1)["next"], "run `kgrade check scale bad.cu --case tiny`");
}

TEST(AgentLine, SaysOfOneThatDoesNotCompileWhatToMend) {
  Record record = test::sample_record();
  CandidateRecord& candidate = record.candidates[1];
  candidate.cases.clear();
  candidate.verdict = Verdict::compile_error;
  candidate.message = "bad.cu:3: expected ';'";
  const json line = line_of(record, 1);
  EXPECT_EQ(line["stage"], "compile");
  EXPECT_THAT(line["next"].get<std::string>(), HasSubstr("kgrade show scale"));
}

// A reason may hold a compiler's whole line, with characters of three bytes that must not be cut in two.
TEST(AgentLine, IsShortAndValidWhateverTheReasonHolds) {
  Record record = test::sample_record();
  CandidateRecord& candidate = record.candidates[1];
  for (const std::string& piece :
       {std::string("\xe2\x80\x98"), std::string("\x01"), std::string("\xff"), std::string("\"\\\n")}) {
    candidate.message.clear();
    for (int i = 0; i < 3000; ++i) candidate.message += piece;
    candidate.path = candidate.message;
    line_of(record, 1);
  }
}

}  // namespace kgrade::printed_test
