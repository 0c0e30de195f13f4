// `--hidden N` and `--hidden-seed SEED`: what is drawn, what the record keeps, and what is refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::hidden_shapes_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
const std::string naive = "solutions/" + slug + "/naive.cu";
// Without a `fuzz` section.
const std::string unfuzzed = "harness/tests/measured/problems/scale.md";
const std::string unfuzzed_candidate = "harness/tests/measured/candidates/scale.cu";

using Words = std::vector<std::string>;

// The record of an accepted candidate.
json record_with(const Words& options) {
  Words arguments = {slug, naive};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Graded graded = grade(arguments, "emulated");
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_THAT(graded.left_behind, IsEmpty());
  return graded.record;
}

// The names and parameters of the cases of a record that have a role, in order.
Words cases_of(const json& record, const std::string& role) {
  Words cases;
  if (!record.is_object()) return cases;
  for (const json& one : record["candidates"][0]["cases"]) {
    if (one["role"] == role) cases.push_back(one["name"].get<std::string>() + one["parameters"].dump());
  }
  return cases;
}

Words hidden_cases(const json& record) { return cases_of(record, "hidden"); }

TEST(HiddenShapes, AreDrawnByAPrivateSeedThatTheRecordKeeps) {
  const json first = record_with({"--case", "tiny", "--hidden", "3"});
  const json second = record_with({"--case", "tiny", "--hidden", "3"});
  ASSERT_TRUE(first["hidden_seed"].is_string());
  ASSERT_TRUE(second["hidden_seed"].is_string());
  EXPECT_NE(first["hidden_seed"], second["hidden_seed"]);
  EXPECT_NE(first["hidden_seed"], first["seed"]) << "who knows the inputs' seed knows no shapes";
  EXPECT_EQ(hidden_cases(first).size(), 3u);
  EXPECT_NE(hidden_cases(first), hidden_cases(second));
}

TEST(HiddenShapes, OfARecordComeAgainWithItsSeed) {
  const json drawn = record_with({"--case", "tiny", "--hidden", "3"});
  ASSERT_TRUE(drawn["hidden_seed"].is_string());
  const auto seed = drawn["hidden_seed"].get<std::string>();
  const json again = record_with({"--case", "tiny", "--hidden", "3", "--hidden-seed", seed});
  EXPECT_EQ(again["hidden_seed"], seed);
  EXPECT_EQ(hidden_cases(again), hidden_cases(drawn));
  EXPECT_EQ(cases_of(again, "sample").size(), 1u) << "the named case runs too";
}

TEST(HiddenShapes, AreTheUsualNumberWhereOnlyTheirSeedIsGiven) {
  const json record = record_with({"--case", "tiny", "--hidden-seed", "7"});
  EXPECT_EQ(record["hidden_seed"], "7");
  const Words four = hidden_cases(record);
  EXPECT_EQ(four.size(), 4u);
  const Words two = hidden_cases(record_with({"--case", "tiny", "--hidden-seed", "7", "--hidden", "2"}));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_TRUE(std::equal(two.begin(), two.end(), four.begin())) << "fewer are the first of more";
}

TEST(HiddenShapes, AreNoneWhereCasesAreNamedOrNoneAreWanted) {
  for (const Words& options :
       {Words{"--case", "tiny"}, Words{"--hidden", "0"}, Words{"--hidden", "0", "--hidden-seed", "7"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    const json record = record_with(options);
    EXPECT_TRUE(record["hidden_seed"].is_null()) << record["hidden_seed"];
    EXPECT_THAT(hidden_cases(record), IsEmpty());
  }
}

TEST(HiddenShapes, AreRefusedWithAReasonWhereTheProblemHasNoRanges) {
  for (const Words& options : {Words{"--hidden", "2"}, Words{"--hidden-seed", "7"},
                               Words{"--case", "tiny", "--hidden", "1", "--hidden-seed", "7"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    Words arguments = {"grade", "--device", "emulated", unfuzzed, unfuzzed_candidate};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_THAT(
        kgrade(arguments),
        EndedCleanly(2, HasSubstr("problem 'scale' has no ranges that hidden shapes could be drawn from"),
                     HasSubstr("give the problem a `fuzz` section"), HasSubstr("scale.md")));
  }
}

TEST(HiddenShapes, AreNotMissedWhereTheProblemHasNoRanges) {
  for (const Words& options : {Words{}, Words{"--hidden", "0"}}) {
    Words arguments = {unfuzzed, unfuzzed_candidate};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Graded graded = grade(arguments, "emulated");
    EXPECT_EQ(graded.exit_code, 0) << graded.output;
    ASSERT_TRUE(graded.record.is_object());
    EXPECT_TRUE(graded.record["hidden_seed"].is_null());
  }
}

TEST(HiddenShapes, HaveANumberAndASeedThatAreWholeNumbers) {
  for (const Words& options :
       {Words{"--hidden", "-1"}, Words{"--hidden", "1001"}, Words{"--hidden", "many"},
        Words{"--hidden-seed", "0x7"}, Words{"--hidden-seed", "18446744073709551616"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    Words arguments = {"grade", "--device", "emulated", slug, naive};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_THAT(kgrade(arguments), EndedCleanly(2, HasSubstr(options[0] + ": '" + options[1] +
                                                             "' is no whole number from 0 to")));
  }
}

// Cases that are written on the command line, hidden ones that are named, and candidates from standard input.

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(KGRADE_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(WrittenCases, AreGradedAndChecked) {
  const std::string written = "height=9,width=23,batch_size=3";
  const Graded graded = grade({slug, naive, "--case", written}, "emulated");
  ASSERT_EQ(graded.exit_code, 0) << graded.output;
  const json& only = graded.record["candidates"][0]["cases"];
  ASSERT_EQ(only.size(), 1U);
  EXPECT_EQ(only[0]["name"], written);
  EXPECT_EQ(only[0]["role"], "test");
  EXPECT_EQ(only[0]["parameters"]["width"], 23);
  EXPECT_THAT(kgrade({"check", slug, naive, "--device", "emulated", "--case", written}),
              Ended(0, HasSubstr(written)));
}

TEST(WrittenCases, HaveToFulfilWhatTheProblemRequires) {
  EXPECT_THAT(kgrade({"grade", slug, naive, "--device", "emulated", "--case", "in_channels=3,groups=2"}),
              Ended(2, AllOf(HasSubstr("case 'in_channels=3,groups=2'"), HasSubstr("does not hold"))));
}

TEST(WrittenCases, OfManyHoursAreRefusedBeforeTheyBegin) {
  const std::string long_case = "batch_size=4,in_channels=1024,out_channels=1024,length=16384";
  for (const char* command : {"grade", "check"}) {
    const Result refused = kgrade({command, "conv-standard-1d", "solutions/conv-standard-1d/naive.cu",
                                   "--device", "emulated", "--case", long_case});
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_THAT(refused.output, AllOf(HasSubstr("takes about"), HasSubstr("--force"))) << command;
  }
}

TEST(WrittenCases, HiddenOnesOfAGradeAreCheckedByName) {
  const Result checked = kgrade({"check", slug, naive, "--device", "emulated", "--case", "hidden-2",
                                 "--hidden-seed", "7", "--json", "-"});
  ASSERT_EQ(checked.exit_code, 0) << checked.output;
  const json record = json::parse(checked.output);
  EXPECT_EQ(record["hidden_seed"], "7");
  ASSERT_EQ(record["candidates"][0]["cases"].size(), 1U);
  EXPECT_EQ(record["candidates"][0]["cases"][0]["name"], "hidden-2");
  EXPECT_THAT(kgrade({"check", slug, naive, "--device", "emulated", "--case", "hidden-2"}),
              Ended(2, HasSubstr("--hidden-seed")));
}

TEST(StandardInput, IsGradedAndChecked) {
  Program program;
  program.input = text_of(naive);
  const Graded graded = grade({slug, "-", "--case", "tiny"}, "emulated", program);
  ASSERT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_EQ(graded.record["candidates"][0]["path"], "<stdin>");
  EXPECT_EQ(kgrade({"check", slug, "-", "--device", "emulated", "--case", "tiny"}, program).exit_code, 0);
  program.input = "#include <cstddef>\nnonsense;\n";
  EXPECT_THAT(kgrade({"grade", slug, "-", "--device", "emulated"}, program),
              Ended(1, AllOf(HasSubstr("<stdin>:2"), Not(HasSubstr("stdin.cu")))));
  EXPECT_THAT(kgrade({"grade", slug, "-", "-", "--device", "emulated"}, program),
              Ended(2, HasSubstr("name it once")));
}

}  // namespace kgrade::test::hidden_shapes_test
