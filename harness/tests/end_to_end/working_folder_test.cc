// A user's own folder with problems, references and solutions, beside those that kgrade comes with.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::working_folder_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WorkingFolder : public testing::Test {
 protected:
  WorkingFolder() {
    const fs::path measured = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/measured";
    for (const char* name : {"problems", "reference"})
      fs::copy(measured / name, at(name), fs::copy_options::recursive);
    for (const char* slug : {"scale", "conv-standard-1d"}) fs::create_directories(at("solutions") / slug);
    fs::copy_file(measured / "candidates/scale.cu", at("solutions/scale/mine.cu"));
    fs::copy_file(fs::path(KGRADE_SOURCE_DIR) / "solutions/conv-standard-1d/naive.cu",
                  at("solutions/conv-standard-1d/mine.cu"));
  }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  Result run(const std::vector<std::string>& arguments) const {
    Program program;
    program.folder = folder_.path().string();
    return kgrade(arguments, program);
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(WorkingFolder, ItsProblemsAreListedWithThoseOfKgrade) {
  EXPECT_THAT(run({"list"}), Ended(0, AllOf(HasSubstr("scale "), HasSubstr("conv-standard-1d "),
                                            HasSubstr("\nin problems, /"))));
  EXPECT_THAT(run({"show", "scale"}).output, HasSubstr("file problems/scale.md\n"));
  EXPECT_THAT(run({"show", "no-such"}).output, HasSubstr("there is no problem 'no-such' in problems, /"));
}

TEST_F(WorkingFolder, AFolderThatIsNamedComesFirstAndSaysWhatItHides) {
  fs::create_directory(at("drafts"));
  fs::copy_file(at("problems/scale.md"), at("drafts/scale.md"));
  EXPECT_THAT(run({"show", "scale", "--problems", "drafts"}),
              Ended(0, AllOf(HasSubstr("note: scale is drafts/scale.md, not problems/scale.md"),
                             HasSubstr("file drafts/scale.md"))));
  EXPECT_THAT(run({"list", "--problems", "drafts"}).output, HasSubstr("conv-standard-1d "));
}

// Own and shipped problems together, with the candidates of this folder and no others.
TEST_F(WorkingFolder, ASweepGradesItsOwnSolutions) {
  EXPECT_THAT(
      run({"sweep", "--all", "--device", "emulated", "--jobs", "1", "--hidden", "0"}),
      Ended(0, AllOf(HasSubstr("candidates in solutions, problems in problems, /"),
                     HasSubstr("accepted  scale/mine.cu"), HasSubstr("accepted  conv-standard-1d/mine.cu"),
                     HasSubstr("[2/2]"), Not(HasSubstr("naive")))));
}

TEST_F(WorkingFolder, ASweepWithoutASelectionSaysWhatItNeeds) {
  EXPECT_THAT(run({"sweep", "--device", "emulated", "--resume"}),
              Ended(2, AllOf(HasSubstr("error: nothing is named that the sweep should grade"),
                             HasSubstr("--solutions FOLDER"), HasSubstr("--all"), Not(HasSubstr("[1/")))));
  EXPECT_EQ(run({"sweep", "--all", "--only", "scale"}).exit_code, 2) << "they contradict each other";
}

TEST_F(WorkingFolder, APatternIsNoFolder) {
  EXPECT_THAT(run({"sweep", "--device", "emulated", "--problems", "conv-*"}),
              Ended(2, AllOf(HasSubstr("conv-*: error: no such folder"), HasSubstr("--only 'conv-*'"))));
}

TEST_F(WorkingFolder, WithoutResultsTheLeaderboardSaysWhatToName) {
  EXPECT_THAT(run({"leaderboard", "--json", "board.json"}),
              Ended(2, AllOf(HasSubstr("there is no folder `results` here"),
                             HasSubstr("kgrade leaderboard sweep.jsonl"), Not(HasSubstr("no such file")))));
}

TEST_F(WorkingFolder, AnUnknownOptionIsMetWithTheNearestOne) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"grade", "scale", "x.cu", "--jsn", "x"},
        {"grade", "--jsn=x"},
        {"leaderboard", "--jsn"},
        {"check", "scale", "--jsn", "x"},
        {"show", "scale", "--jsn"},
        {"compare", "--jsn", "x"},
        {"lint", "--jsn"}}) {
    const Result refused = run(words);
    EXPECT_EQ(refused.exit_code, 2) << words[0];
    EXPECT_THAT(refused.output, AllOf(HasSubstr("kgrade " + words[0] + " has no option '--jsn'"),
                                      HasSubstr("did you mean '--json'?")));
  }
}

TEST_F(WorkingFolder, ListAndShowAreThereForPrograms) {
  const json listed = json::parse(run({"list", "--json"}).output);
  const auto scale =
      std::find_if(listed.begin(), listed.end(), [](const json& one) { return one["slug"] == "scale"; });
  ASSERT_NE(scale, listed.end());
  EXPECT_EQ((*scale)["file"], "problems/scale.md");
  EXPECT_EQ((*scale)["dtypes"], json({"float32"}));
  const json shown = json::parse(run({"show", "scale", "--json"}).output);
  EXPECT_THAT(shown["statement"], HasSubstr("Every element twice"));
  EXPECT_EQ(shown["file"], "problems/scale.md");
}

// What a new user meets: a faulty kernel, one grade, one check, and the command that the grade prints.

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
const std::string faulty = planted("first_steps/faulty/");

std::string graded(const std::string& kernel) {
  return kgrade({"grade", slug, faulty + kernel, "--device", "emulated", "--hidden", "0"}).output;
}

std::string checked(const std::string& kernel) {
  return kgrade({"check", slug, faulty + kernel, "--device", "emulated"}).output;
}

// In the root of the checkout, where `kgrade` is the program under test.
ProcessOutcome run_in_shell(const std::string& command) {
  ProcessRequest request;
  request.command = {"/bin/sh", "-c",
                     "cd " KGRADE_SOURCE_DIR " && kgrade() { '" KGRADE_PROGRAM "' \"$@\"; } && " + command};
  request.environment = {std::string("PATH=") + std::getenv("PATH")};
  auto outcome = run_process(request);
  EXPECT_TRUE(outcome.ok());
  return *outcome;
}

TEST(FirstSteps, AnOffByOneIsNamedByWhatIsNeverWritten) {
  EXPECT_THAT(graded("off-by-one.cu"),
              AllOf(HasSubstr("all never written; the wrong ones are the last one of each row"),
                    HasSubstr("[0, 0, 0, 2]")));
  EXPECT_THAT(checked("off-by-one.cu"),
              HasSubstr("all never written; the wrong ones are the last one of each row"));
}

TEST(FirstSteps, AMissingBarrierIsNamedByItsLines) {
  EXPECT_THAT(checked("missing-barrier.cu"),
              AllOf(HasSubstr("missing-barrier.cu:15: race"), HasSubstr("put a __syncthreads()")));
}

TEST(FirstSteps, AWrongStrideIsNamedByTheCasesThatFail) {
  EXPECT_THAT(graded("wrong-stride.cu"),
              HasSubstr("all failed cases, and no accepted one, have stride_h != stride_w"));
  EXPECT_THAT(checked("wrong-stride.cu"), HasSubstr("look at the arithmetic and the indices"));
}

TEST(FirstSteps, TheCommandThatAGradePrintsRuns) {
  const std::string table = graded("wrong-stride.cu");
  std::smatch next;
  ASSERT_TRUE(std::regex_search(table, next, std::regex("next: (kgrade check [^\n]*)"))) << table;
  const ProcessOutcome outcome = run_in_shell(next[1].str());
  EXPECT_EQ(outcome.exit_code, 1) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("wrong-stride.cu"));
}

TEST(FirstSteps, AProgramReadsOneLine) {
  const Result result =
      kgrade({"grade", slug, faulty + "off-by-one.cu", "--device", "emulated", "--case", "tiny", "--agent"});
  EXPECT_EQ(result.exit_code, 1);
  const auto line = nlohmann::json::parse(result.output);
  EXPECT_EQ(line["verdict"], "wrong_answer");
  EXPECT_EQ(line["first_wrong"]["got"], "never written");
  EXPECT_THAT(line["next"].get<std::string>(), HasSubstr("kgrade check " + slug + " " + faulty));
}

TEST(FirstSteps, ACandidateMayComeThroughAPipe) {
  const std::string grade = " | kgrade grade " + slug + " - --device emulated --case tiny";
  const ProcessOutcome right = run_in_shell("cat solutions/" + slug + "/naive.cu" + grade);
  EXPECT_EQ(right.exit_code, 0) << right.output;
  EXPECT_THAT(right.output, HasSubstr("accepted  <stdin>"));
  const ProcessOutcome empty = run_in_shell("true" + grade);
  EXPECT_EQ(empty.exit_code, 1) << empty.output;
  EXPECT_THAT(empty.output, HasSubstr("is empty; write: extern"));
}

}  // namespace kgrade::test::working_folder_test
