// Candidates that compete in a precision class other than their problem's, from the command line to the
// verdict. The problem asks for fp32: twice each element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace kgrade::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string problem = "harness/tests/measured/problems/scale.md";
const std::string for_tf32 = "// kgrade: precision tf32\n";

// The result if each element is first changed by `rounded`.
std::string source(const std::string& rounded) {
  return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
         "__global__ void scale(const float* in, float* out, size_t n) {\n"
         "  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;\n"
         "  if (i < n) out[i] = 2 * " +
         rounded +
         ";\n}\n"
         "extern \"C\" void solution(const float* in, float* out, size_t n) {\n"
         "  scale<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, out, n);\n}\n";
}

const std::string exact = source("in[i]");
// fp16 keeps as many bits as TF32.
const std::string halves = source("__half2float(__float2half(in[i]))");
const std::string bfloats = source("__bfloat162float(__float2bfloat16(in[i]))");

void expect_outcome(const json& candidate, const std::string& verdict, const std::string& precision,
                    const std::string& message) {
  SCOPED_TRACE(candidate["message"].get<std::string>());
  EXPECT_EQ(candidate["verdict"], verdict);
  EXPECT_EQ(candidate["precision"], precision);
  EXPECT_THAT(candidate["message"].get<std::string>(), HasSubstr(message));
}

TEST(PrecisionClasses, TheOneThatACandidateDeclaresIsAskedForAndTheOneThatIsMeasuredIsTold) {
  const ScratchFile rounded("halves.cu", for_tf32 + halves);
  const ScratchFile worse("bfloats.cu", for_tf32 + bfloats);
  const ScratchFile better("exact.cu", for_tf32 + exact);
  const Graded graded = grade({problem, rounded.path(), worse.path(), better.path()}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1) << "one of them is refused";
  EXPECT_EQ(graded.record["problem"]["precision"], "tf32");
  const json& candidates = graded.record["candidates"];
  ASSERT_EQ(candidates.size(), 3u);
  expect_outcome(candidates[0], "accepted", "tf32", "");
  expect_outcome(candidates[1], "low_precision", "bf16", "tf32 is asked for");
  expect_outcome(candidates[2], "accepted", "fp32", "");
}

TEST(PrecisionClasses, WithoutADeclarationTheProblemsIsAskedFor) {
  const ScratchFile file("halves.cu", halves);
  const Graded graded = grade({problem, file.path()}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1);
  EXPECT_EQ(graded.record["problem"]["precision"], "fp32");
  expect_outcome(graded.record["candidates"][0], "low_precision", "tf32", "fp32 is asked for");
}

TEST(PrecisionClasses, ARecordHoldsOne) {
  const ScratchFile loose("halves.cu", for_tf32 + halves);
  const ScratchFile strict("exact.cu", exact);
  std::vector<std::string> arguments = {"grade",    problem,    strict.path(), loose.path(),
                                        "--device", "emulated", "--case",      "tiny"};
  const Result both = kgrade(arguments);
  EXPECT_EQ(both.exit_code, 0) << both.output;
  EXPECT_THAT(both.output, AllOf(HasSubstr("accepted  " + strict.path() + "  fp32"),
                                 HasSubstr("accepted  " + loose.path() + "  tf32")));
  arguments.insert(arguments.end(), {"--json", "-"});
  const Result refused = kgrade(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output,
              HasSubstr("for float32 of class fp32 and float32 of class tf32, and a record holds"));
}

TEST(PrecisionClasses, OneThatDoesNotExistIsTheVerdictOfItsCandidate) {
  const ScratchFile file("candidate.cu", "// Text.\n// kgrade: precision fp16\n" + halves);
  const Result result = kgrade({"grade", problem, file.path(), "--device", "emulated", "--case", "tiny"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, AllOf(HasSubstr("compile_error  " + file.path()),
                                   HasSubstr("line 2: this line says nothing that is known"),
                                   HasSubstr("`// kgrade: precision tf32`")));
}

// The error is 1.1e-3 and 1.2e-3, in units of the norm that these seeds give.
TEST(PrecisionClasses, AnHonestAnswerIsNotRefusedWhereSumsCancel) {
  const std::string honest = "harness/tests/honest/conv-pointwise-2d/tf32-declared.cu";
  for (const auto& [name, seed] : {std::pair{"tiny", "59"}, std::pair{"one-out-channel", "58"}}) {
    const Graded graded = grade({"conv-pointwise-2d", honest, "--case", name, "--seed", seed}, "emulated");
    ASSERT_TRUE(graded.record.is_object()) << graded.output;
    expect_outcome(graded.record["candidates"][0], "accepted", "tf32", "");
  }
}

TEST(PrecisionClasses, TheCheckerAsksForTheSame) {
  for (const auto& [first_line, exit_code] : {std::pair{for_tf32, 0}, std::pair{std::string(), 1}}) {
    const ScratchFile file("candidate.cu", first_line + halves);
    const Result result = kgrade(
        {"check", problem, file.path(), "--device", "emulated", "--case", "tiny", "--order", "forward"});
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
  }
}

}  // namespace
}  // namespace kgrade::test
