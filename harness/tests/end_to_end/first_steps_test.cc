// What a new user meets: a faulty kernel, one grade, one check, and the command that the grade prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/subprocess.h"
#include "tests/support/command.h"

namespace kgrade::test::first_steps_test {

using testing::AllOf;
using testing::HasSubstr;

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

}  // namespace kgrade::test::first_steps_test
