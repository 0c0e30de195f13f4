#include "record/agent_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/sample_record.h"

namespace kgrade::agent_line_test {

using nlohmann::json;
using testing::HasSubstr;

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

}  // namespace kgrade::agent_line_test
