#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "command.h"

namespace kgrade::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string depthwise = "conv-depthwise-2d-square-input-asym-kernel";
const std::string naive = "solutions/" + depthwise + "/naive.cu";

TEST(Commands, HelpAndVersionEverywhere) {
  for (const char* command : {"grade", "list", "show", "lint", "dump", "doctor"}) {
    const Result help = kgrade({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.output, HasSubstr("Usage: kgrade " + std::string(command)));
    const Result version = kgrade({command, "--version"});
    EXPECT_EQ(version.exit_code, 0) << command;
    EXPECT_THAT(version.output, HasSubstr("kgrade 0."));
  }
  EXPECT_EQ(kgrade({"--help"}).exit_code, 0);
  EXPECT_EQ(kgrade({"--version"}).exit_code, 0);
}

TEST(Commands, ListNamesEveryProblem) {
  const Result result = kgrade({"list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr(depthwise));
  EXPECT_THAT(result.output, HasSubstr("conv-transpose2d-batchnorm-tanh-maxpool-groupnorm"));
}

TEST(Commands, ShowPrintsSignatureShapesAndCases) {
  const Result result = kgrade({"show", depthwise});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("extern \"C\" void solution("));
  EXPECT_THAT(result.output, HasSubstr("const float* input"));
  EXPECT_THAT(result.output, HasSubstr("[batch_size, in_channels, height, width]"));
  EXPECT_THAT(result.output, HasSubstr("kernelbench"));
  EXPECT_THAT(result.output, HasSubstr("MiB"));
  EXPECT_THAT(result.output, HasSubstr("FLOP"));
}

TEST(Commands, LintOfTheCatalogueIsClean) {
  const Result result = kgrade({"lint"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("0 errors"));
  EXPECT_THAT(result.output, Not(HasSubstr("warning")));
}

TEST(Commands, DoctorNamesWhatIsThereAndLacking) {
  const Result result = kgrade({"doctor"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("C++ compiler"));
  EXPECT_THAT(result.output, HasSubstr("CUDA device"));
}

TEST(Grade, PrintsOnePlainTableWithoutATerminal) {
  const Result result = kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", test_device()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("accepted"));
  EXPECT_THAT(result.output, HasSubstr("tiny"));
  EXPECT_THAT(result.output, Not(HasSubstr("\033")));
  EXPECT_THAT(result.output, Not(HasSubstr("\r")));
  EXPECT_THAT(result.left_behind, IsEmpty());
}

TEST(Grade, VerboseAddsChecksAndStages) {
  const Result result =
      kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", test_device(), "--verbose"});
  EXPECT_THAT(result.output, HasSubstr("guard_zones"));
  EXPECT_THAT(result.output, HasSubstr("compile"));
  EXPECT_THAT(result.output, HasSubstr("total"));
}

TEST(Grade, RunsJustTheCasesNamed) {
  const Graded graded = grade({depthwise, naive, "--case", "tiny", "--case", "stride-2x3", "--quick"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  std::vector<std::string> names;
  for (const auto& c : graded.record["candidates"][0]["cases"]) names.push_back(c["name"]);
  EXPECT_THAT(names, ElementsAre("tiny", "stride-2x3"));
}

TEST(Grade, TheSeedDecidesTheErrorsToTheLastBit) {
  const std::vector<std::string> arguments = {depthwise, naive,        "--case", "tiny",
                                              "--case",  "stride-2x3", "--seed"};
  auto with_seed = [&](const std::string& seed) {
    std::vector<std::string> all = arguments;
    all.push_back(seed);
    const Graded graded = grade(all);
    EXPECT_EQ(graded.record["seed"], seed);
    return graded.record["candidates"][0]["cases"][1]["error"];
  };
  const auto first = with_seed("7");
  EXPECT_EQ(with_seed("7"), first);
  EXPECT_NE(with_seed("18446744073709551615"), first);
}

TEST(Grade, AProblemGivenByPathIsTheSameProblem) {
  const Graded graded = grade({"problems/" + depthwise + ".md", naive, "--case", "tiny"});
  EXPECT_EQ(graded.exit_code, 0);
  EXPECT_EQ(graded.record["problem"]["slug"], depthwise);
}

TEST(Grade, AnotherProblemsFolderBringsItsOwnReferences) {
  const Graded graded = grade({depthwise, naive, "--case", "tiny", "--problems", "problems"});
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
}

TEST(Grade, WritesTheRecordBesideTheTable) {
  const ScratchFile scratch("old.json", "old");
  const Result result = kgrade(
      {"grade", depthwise, naive, "--case", "tiny", "--device", test_device(), "--json", scratch.path()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("accepted"));
  std::ifstream stream(scratch.path());
  const auto record = nlohmann::json::parse(stream);
  EXPECT_EQ(record["schema_version"], 1);
  EXPECT_EQ(record["candidates"][0]["verdict"], "accepted");
}

TEST(Grade, EmulatedTimesAreNeverSpeed) {
  const Result result =
      kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", "emulated", "--json", "-"});
  const auto record = nlohmann::json::parse(result.output);
  EXPECT_EQ(record["device"]["times_are_speed"], false);
  EXPECT_TRUE(record["candidates"][0]["speedup"].is_null());
  EXPECT_TRUE(record["candidates"][0]["cases"][0]["speedup"].is_null());
}

TEST(Grade, SaysInTheProblemsWordsWhatIsWrongWithASignature) {
  const std::string problem = "conv-transpose-2d-sq-input-asym-kernel";
  const std::string folder = "harness/tests/candidates/" + problem + "/";
  const Graded graded =
      grade({problem, folder + "wrong-type.cu", folder + "wrong-arity.cu", folder + "missing-function.cu"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto& candidates = graded.record["candidates"];
  EXPECT_EQ(candidates[0]["message"], "parameter 3 'output' must be float*, not double*");
  EXPECT_EQ(candidates[1]["message"], "'solution' takes 16 parameters, the problem has 17");
  EXPECT_EQ(candidates[2]["message"], "the file defines no function 'solution'");
}

}  // namespace
}  // namespace kgrade::test
