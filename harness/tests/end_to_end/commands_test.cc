#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::commands_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string depthwise = "conv-depthwise-2d-square-input-asym-kernel";
const std::string naive = "solutions/" + depthwise + "/naive.cu";

TEST(Commands, HelpAndVersionEverywhere) {
  for (const char* command :
       {"grade", "check", "compare", "list", "show", "lint", "calibrate", "dump", "doctor", "selftest"}) {
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
  EXPECT_THAT(kgrade({"list"}),
              Ended(0, HasSubstr(depthwise), HasSubstr("conv-transpose2d-batchnorm-tanh-maxpool-groupnorm")));
}

TEST(Commands, ListFindsProblemsByAWordAndByFamily) {
  const auto names = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"list", "--names"});
    return kgrade(more).output;
  };
  const std::string pools = names({"POOL", "--family", "max-pooling"});
  EXPECT_THAT(
      pools, AllOf(HasSubstr("max-pooling-2d\n"), Not(HasSubstr("average-pooling")), Not(HasSubstr("conv"))));
  EXPECT_THAT(names({"average"}),
              AllOf(HasSubstr("average-pooling-1d\n"), Not(HasSubstr("max-pooling-2d\n"))));
  // In a title or a tag alone.
  EXPECT_THAT(names({"convolution"}), HasSubstr(depthwise + "\n"));
  EXPECT_THAT(kgrade({"list", "softmax"}).output, AllOf(HasSubstr("softmax"), Not(HasSubstr("matmul"))));
  const auto listed = nlohmann::json::parse(kgrade({"list", "--family", "conv-1d", "--json"}).output);
  ASSERT_FALSE(listed.empty());
  for (const auto& problem : listed) EXPECT_EQ(problem["family"], "conv-1d");
  EXPECT_THAT(kgrade({"list", "sofmtax"}),
              Ended(2, HasSubstr("no problem has 'sofmtax' in its slug, its title or its tags")));
  EXPECT_THAT(kgrade({"list", "--family", "conv1d"}),
              Ended(2, HasSubstr("there is no family 'conv1d'"), HasSubstr("did you mean 'conv-1d'?")));
}

TEST(Commands, AProblemBehindItsCandidatesIsToldWithTheRightCommand) {
  const TemporaryDirectory folder;
  const std::string mine = folder.path() / "mine.cu";
  std::filesystem::copy_file(std::string(KGRADE_SOURCE_DIR) + "/solutions/vector-addition/naive.cu", mine);
  for (const char* const command : {"grade", "check", "profile"}) {
    const Result result = kgrade({command, mine, "vector-addition", "--device", "emulated"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.output,
              fmt::format("error: '{0}' stands where the problem belongs, and 'vector-addition' is a "
                          "problem\n  hint: the problem comes first: kgrade {1} vector-addition {0}\n",
                          mine, command));
  }
  EXPECT_THAT(kgrade({"grade", mine, "other.cu", "problems/relu.md"}).output,
              HasSubstr("kgrade grade problems/relu.md " + mine + " other.cu\n"));
  // In the right order, other mistakes are told as ever.
  EXPECT_THAT(kgrade({"grade", "relu", "vector-addition"}).output, Not(HasSubstr("comes first")));
}

TEST(Commands, ShowPrintsSignatureShapesAndCases) {
  EXPECT_THAT(kgrade({"show", depthwise}),
              Ended(0, HasSubstr("extern \"C\" void solution("), HasSubstr("const float* input"),
                    HasSubstr("[batch_size, in_channels, height, width]"), HasSubstr("kernelbench"),
                    HasSubstr("MiB"), HasSubstr("FLOP")));
}

// What to compute, and in what, stands before how it is measured.
TEST(Commands, ShowSaysWhatToCompute) {
  const std::string text = kgrade({"show", depthwise}).output;
  const std::size_t statement = text.find("## Definition");
  EXPECT_LT(statement, text.find("\nEntry point\n"));
  EXPECT_THAT(text, HasSubstr("file problems/" + depthwise + ".md\n"));
  EXPECT_THAT(text, HasSubstr("plain kernel solutions/" + depthwise + "/naive.cu\n"));
  EXPECT_THAT(text, HasSubstr("Outputs hold arbitrary values before the call"));
}

TEST(Commands, ShowSaysHowAModuleIsCalled) {
  const std::string text = kgrade({"show", depthwise}).output;
  EXPECT_THAT(text, HasSubstr("  # forward returns output.\n"
                              "  class ModelNew(torch.nn.Module):\n"
                              "      def __init__(self, in_channels, "));
  EXPECT_THAT(text, HasSubstr("\n      def forward(self, input):\n"));
  EXPECT_THAT(text, HasSubstr("\nAs a module of PyTorch (torch.nn.Conv2d)\n"
                              "  model = ModelNew(in_channels, kernel_h, stride_h, padding_h, dilation_h, "
                              "bias=False)\n"
                              "  output = model(input)\n"
                              "  defaults, which are not passed: bias=False\n"
                              "  weight conv2d.weight is kernel\n"
                              "  called in training mode\n"));
  EXPECT_THAT(text, HasSubstr("  2 of 16 cases can be stated so: those with out_channels == in_channels, "));
}

TEST(Commands, ShowSaysHowFunctionsInPythonAreWritten) {
  const std::string text = kgrade({"show", "conv-standard-1d"}).output;
  EXPECT_THAT(
      text, HasSubstr("  # Writes output. Arguments that it does not use may be left out.\n"
                      "  def solution(input, kernel, output, batch_size, in_channels, out_channels, length, "
                      "kernel_size,\n          stride, padding, dilation, groups):\n"));
  EXPECT_THAT(text, HasSubstr("  # Returns output. Arguments may be left out as well.\n  def solution(input, "
                              "kernel, batch_size, "));
  EXPECT_THAT(text, HasSubstr("  # Returns output.\n  def custom_kernel(data):\n"
                              "      (input, kernel, batch_size, "));
  EXPECT_THAT(text, HasSubstr("groups) = data\n"));
}

TEST(Commands, LintOfTheCatalogueIsClean) {
  EXPECT_THAT(kgrade({"lint", "--no-run"}), Ended(0, HasSubstr("0 errors"), Not(HasSubstr("warning"))));
}

TEST(Commands, DoctorNamesWhatIsThereAndLacking) {
  EXPECT_THAT(kgrade({"doctor"}), Ended(0, HasSubstr("C++ compiler"), HasSubstr("CUDA device")));
}

TEST(Commands, DoctorIsContentWithoutPython) {
  EXPECT_THAT(kgrade({"doctor"}, {KGRADE_PROGRAM, {"KGRADE_PYTHON=/no/such/python"}}),
              Ended(0, HasSubstr("KGRADE_PYTHON: '/no/such/python' is no program that can be started: no "
                                 "Python candidates")));
}

TEST(Commands, DoctorIsAskedAboutAPythonByItsName) {
  const Result result = kgrade({"doctor", "--python", "/no/such/python"});
  EXPECT_EQ(result.exit_code, 3) << "it was asked for";
  EXPECT_THAT(result.output, HasSubstr("--python: '/no/such/python' is no program that can be started"));
}

TEST(Grade, PrintsOnePlainTableWithoutATerminal) {
  const Result result = kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", test_device()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("accepted"));
  EXPECT_THAT(result.output, Not(HasSubstr("tiny"))) << "accepted candidates take one line";
  EXPECT_THAT(result.output, Not(HasSubstr("\033")));
  EXPECT_THAT(result.output, Not(HasSubstr("\r")));
  EXPECT_THAT(result.left_behind, IsEmpty());
}

TEST(Grade, VerboseAddsChecksAndStages) {
  const Result result =
      kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", test_device(), "--verbose"});
  EXPECT_THAT(result.output, HasSubstr("guard_zones"));
  EXPECT_THAT(result.output, HasSubstr("tiny"));
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

// What one candidate learns of its contents helps no other.
TEST(Grade, EachCandidateHasASeedThatRepeatsItAlone) {
  const std::string tuned = "solutions/" + depthwise + "/tuned.cu";
  const auto last_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), depthwise);
    arguments.insert(arguments.end(), {"--case", "tiny", "--hidden", "0"});
    const nlohmann::json record = grade(arguments, "emulated").record;
    EXPECT_TRUE(record.is_object());
    return record["candidates"].back();
  };
  const nlohmann::json among_others = last_of({tuned, naive, "--seed", "7"});
  EXPECT_NE(among_others["seed"], "7");
  const nlohmann::json alone = last_of({naive, "--seed", among_others["seed"].get<std::string>()});
  EXPECT_EQ(alone["seed"], among_others["seed"]);
  EXPECT_EQ(alone["cases"][0]["error"], among_others["cases"][0]["error"]);
  const nlohmann::json of_the_run = last_of({naive, "--seed", "7"});
  EXPECT_EQ(of_the_run["seed"], "7");
  EXPECT_NE(of_the_run["cases"][0]["error"], among_others["cases"][0]["error"]);
}

TEST(Grade, AnotherOrderOfThreadsOrTheCheckerFindsTheRaceThatTheForwardOneHides) {
  const std::string racy = planted("candidates/") + depthwise + "/barrier-missing.cu";
  const auto verdicts = [&](const std::string& order) {
    const Graded graded = grade({depthwise, naive, racy, "--order", order, "--seed", "1"}, "emulated");
    EXPECT_EQ(graded.record["device"]["thread_order"], order);
    std::vector<std::string> words;
    for (const auto& candidate : graded.record["candidates"]) words.push_back(candidate["verdict"]);
    const bool by_checker = graded.output.find("barrier-missing.cu:") != std::string::npos &&
                            graded.output.find(": race: ") != std::string::npos;
    EXPECT_EQ(by_checker, order == "forward") << graded.output;
    return words;
  };
  EXPECT_THAT(verdicts("forward"), ElementsAre("accepted", "wrong_answer"));
  EXPECT_THAT(verdicts("reverse"), ElementsAre("accepted", "wrong_answer"));
  EXPECT_THAT(verdicts("shuffled"), ElementsAre("accepted", "wrong_answer"));
}

TEST(Grade, AShuffledOrderIsThatOfTheSeed) {
  const std::string racy = planted("candidates/") + depthwise + "/barrier-missing.cu";
  const auto wrong = [&](const std::string& seed) {
    const Graded graded =
        grade({depthwise, racy, "--case", "stride-2x3", "--order", "shuffled", "--seed", seed}, "emulated");
    return graded.record["candidates"][0]["cases"][0]["message"].get<std::string>();
  };
  const std::string first = wrong("7");
  EXPECT_THAT(first, HasSubstr("elements wrong"));
  EXPECT_EQ(wrong("7"), first);
  EXPECT_NE(wrong("8"), first);
}

// What buffers are filled with comes from the seed, so that what is counted in them is the same again.
TEST(Grade, TheSameSeedsGiveTheSameFindings) {
  const std::string folder = planted("candidates/conv-transpose-2d-sq-input-asym-kernel/");
  const auto cases = [&] {
    const Graded graded =
        grade({"conv-transpose-2d-sq-input-asym-kernel", folder + "writes-one-byte-after-output.cu",
               folder + "seed-index-rule.cu", "--seed", "7", "--hidden", "0"},
              "emulated");
    std::vector<std::string> messages;
    for (const auto& candidate : graded.record["candidates"]) {
      for (const auto& c : candidate["cases"])
        messages.push_back(c.at("message").get<std::string>() +
                           (c.contains("error") ? c.at("error").dump() : ""));
    }
    return messages;
  };
  const std::vector<std::string> first = cases();
  EXPECT_THAT(first, testing::Contains(HasSubstr("outside")));
  EXPECT_EQ(cases(), first);
}

TEST(Grade, TheTableNamesAnOrderThatIsNotForward) {
  const auto table = [&](const std::string& order) {
    return kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", "emulated", "--order", order})
        .output;
  };
  EXPECT_THAT(table("reverse"), HasSubstr("threads in reverse order"));
  EXPECT_THAT(table("forward"), Not(HasSubstr("order")));
}

TEST(Grade, SaysWhichLimitACandidateRanInto) {
  const std::string problem = "conv-transpose-2d-sq-input-asym-kernel";
  const std::string folder = planted("candidates/") + problem + "/endless-";
  const Graded graded = grade({problem, folder + "device-recursion.cu", folder + "host-recursion.cu",
                               folder + "device-memory.cu", folder + "host-memory.cu"},
                              "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto message = [&](std::size_t i) {
    return graded.record["candidates"][i]["message"].get<std::string>();
  };
  EXPECT_THAT(message(0), HasSubstr("stack overflow: the stack has 576 KiB"));
  EXPECT_THAT(message(1), HasSubstr("stack overflow: the stack has 8.0 MiB"));
  EXPECT_THAT(message(2), HasSubstr("out of memory) after the call: a process may allocate 2.0 GiB"));
  EXPECT_THAT(message(3), HasSubstr("out of memory: the contestant's process may have 3.0 GiB"));
}

TEST(Grade, SaysThatALaunchFailedWhoeverHasReadItsError) {
  const std::string problem = "conv-transpose-2d-sq-input-asym-kernel";
  const std::string folder = planted("candidates/") + problem + "/";
  const Graded graded =
      grade({problem, folder + "launch-error-dropped.cu", folder + "too-many-threads.cu", "--case", "tiny"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto& candidates = graded.record["candidates"];
  EXPECT_EQ(candidates[0]["verdict"], "wrong_answer");
  EXPECT_THAT(candidates[0]["message"].get<std::string>(),
              testing::AllOf(HasSubstr("a launch failed: CUDA error 1 (invalid argument"),
                             HasSubstr("all never written")));
  EXPECT_EQ(candidates[1]["verdict"], "runtime_error");
  EXPECT_THAT(candidates[1]["message"].get<std::string>(),
              // CUDA 13 says of more than 1,024 threads a block that an argument is invalid.
              testing::AllOf(
                  testing::AnyOf(HasSubstr("a launch failed: CUDA error 9 (invalid launch configuration): "),
                                 HasSubstr("a launch failed: CUDA error 1 (invalid argument): ")),
                  HasSubstr("block (2048, 1, 1): threads of a block: 2,048, of at most 1,024")));
}

// rms-norm with one thread, launched as `launch` says. The kernel is in the first line, the launch in the
// third.
std::string launched(const std::string& kernel, const std::string& launch) {
  return "__global__ void rms(const float* x, float* y, size_t b, size_t n) {" + kernel +
         "}\nextern \"C\" void solution(const float* X, float* Y, size_t B, size_t N) {\nrms<<<" + launch +
         ">>>(X, Y, B, N); }\n";
}

TEST(Grade, NamesWhatALaunchLacksOnTheEmulatedDevice) {
  const std::string uses =
      "extern __shared__ float part[]; part[threadIdx.x] = x[0]; __syncthreads(); y[0] = part[0];";
  const ScratchFile none("none.cu", launched(uses, "B, 256"));
  const ScratchFile few("few.cu", launched(uses, "B, 256, 512"));
  const ScratchFile far("far.cu",
                        launched("extern __shared__ float part[]; y[0] = part[5000 + n];", "1, 1, 8"));
  const ScratchFile grid("grid.cu", launched("y[0] = x[0];", "dim3(1, B / 64), 32"));
  const ScratchFile large("large.cu", launched("__shared__ float part[20480]; part[0] = x[0];", "B, 256"));
  const ScratchFile two(
      "two.cu", launched("__shared__ float part[8000], rest[8000]; part[0] = rest[0] = x[0];", "B, 256"));
  const Graded graded = grade({"rms-norm", none.path(), few.path(), far.path(), grid.path(), large.path(),
                               two.path(), "--case", "tiny"},
                              "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto message = [&](std::size_t i) {
    return graded.record["candidates"][i]["message"].get<std::string>();
  };
  EXPECT_THAT(message(0),
              HasSubstr("kernel rms uses dynamic shared memory, and its launch at none.cu:3 asks for 0 "
                        "bytes: they are the third launch parameter"));
  EXPECT_THAT(message(1),
              HasSubstr("kernel rms uses at least 1024 bytes of dynamic shared memory, and its launch at "
                        "few.cu:3 asks for 512 bytes"));
  EXPECT_THAT(message(2),
              HasSubstr("kernel rms uses at least 20021 bytes of dynamic shared memory, and its launch "
                        "at far.cu:3 asks for 8 bytes"));
  EXPECT_THAT(message(3),
              HasSubstr("CUDA error 9 (invalid launch configuration): kernel rms at grid.cu:3, grid "
                        "(1, 0, 1), block (32, 1, 1): the grid has no blocks: its y is 0"));
  EXPECT_THAT(message(4),
              HasSubstr("large.cu:1: error: 81,920 bytes of static shared memory, of at most 49,152"));
  EXPECT_THAT(message(5),
              HasSubstr("64000 bytes of static shared memory, `rest` included, and may have 49152"));
}

TEST(Grade, SaysThatMemoryBeyondATensorWasRead) {
  // Rows are read to a multiple of 16 elements, and what is too much is multiplied by zero.
  const ScratchFile beyond(
      "beyond.cu",
      launched("for (size_t r = 0; r < b; ++r) { float sum = 0; for (size_t i = 0; i < (n + 15) / 16 * 16; "
               "++i) sum += x[r * n + i] * x[r * n + i] * (i < n ? 1.0f : 0.0f); for (size_t i = 0; i < n; "
               "++i) y[r * n + i] = x[r * n + i] * rsqrtf(sum / n + 1e-5f); }",
               "1, 1"));
  const Graded graded = grade({"rms-norm", beyond.path(), "--case", "long"}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_THAT(graded.record["candidates"][0]["message"].get<std::string>(),
              testing::AllOf(HasSubstr("memory beyond a tensor was read"), Not(HasSubstr("threads race"))));
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
  EXPECT_THAT(kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", test_device(), "--json",
                      scratch.path()}),
              Ended(0, HasSubstr("accepted")));
  std::ifstream stream(scratch.path());
  const auto record = nlohmann::json::parse(stream);
  EXPECT_EQ(record["schema_version"], 4);
  EXPECT_EQ(record["candidates"][0]["verdict"], "accepted");
}

TEST(Grade, EmulatedTimesAreNeverSpeed) {
  const Result result =
      kgrade({"grade", depthwise, naive, "--case", "tiny", "--device", "emulated", "--json", "-"});
  const auto record = nlohmann::json::parse(result.output);
  EXPECT_EQ(record["device"]["times_are_speed"], false);
  EXPECT_TRUE(record["candidates"][0]["scores"].empty());
  EXPECT_TRUE(record["candidates"][0]["cases"][0]["comparisons"].empty());
}

TEST(Grade, SaysInTheProblemsWordsWhatIsWrongWithASignature) {
  const std::string problem = "conv-transpose-2d-sq-input-asym-kernel";
  const std::string folder = planted("candidates/") + problem + "/";
  const Graded graded =
      grade({problem, folder + "wrong-type.cu", folder + "wrong-arity.cu", folder + "missing-function.cu"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const auto& candidates = graded.record["candidates"];
  EXPECT_EQ(candidates[0]["message"], "parameter 3 'output' must be float*, not double*");
  const std::string write =
      "; write: extern \"C\" void solution(const float* input, const float* kernel, float* output, size_t ";
  EXPECT_THAT(std::string(candidates[1]["message"]),
              testing::StartsWith("'solution' takes 16 parameters, the problem has 17" + write));
  EXPECT_THAT(std::string(candidates[2]["message"]),
              testing::StartsWith("the file defines no function 'solution'" + write));
}

}  // namespace kgrade::test::commands_test
