// Candidates that compete in a precision class other than their problem's, from the command line to the
// verdict. The problem asks for fp32: twice each element.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace kgrade::test::precision_test {

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

TEST(PrecisionClasses, WhoAsksOverrulesWhatACandidateDeclares) {
  const ScratchFile file("halves.cu", for_tf32 + halves);
  const ScratchFile right("exact.cu", for_tf32 + exact);
  const Graded own = grade({problem, file.path(), right.path(), "--precision", "own"}, "emulated");
  ASSERT_TRUE(own.record.is_object()) << own.output;
  EXPECT_EQ(own.record["problem"]["precision"], "fp32");
  expect_outcome(own.record["candidates"][0], "low_precision", "tf32",
                 "it declares tf32, which counts only if tf32 is asked for: precision=tf32 in a request");
  expect_outcome(own.record["candidates"][1], "accepted", "fp32", "");
  const ScratchFile silent("silent.cu", halves);
  const Graded asked = grade({problem, silent.path(), "--precision", "tf32"}, "emulated");
  expect_outcome(asked.record["candidates"][0], "accepted", "tf32", "");
  const Result unknown =
      kgrade({"grade", problem, file.path(), "--precision", "fp8", "--device", "emulated"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("there is no precision class 'fp8'"));
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

const std::string total = "harness/tests/soundness/problems/running-total.md";

std::string total_source(const std::string& first_line, const std::string& off) {
  return first_line +
         "#include <cstdint>\n__global__ void total(const int* x, int64_t* y, int64_t sum, size_t n) {\n"
         "  for (size_t i = 0; i < n; ++i) { sum += x[i]; y[i] = sum" +
         off +
         "; }\n}\n"
         "extern \"C\" void solution(const int* x, int64_t* y, int64_t start, size_t n) {\n"
         "  total<<<1, 1>>>(x, y, start, n);\n}\n";
}

TEST(ExactClass, IsOneOfItsOwnFromTheProblemToTheLeaderboard) {
  const ScratchFile right("right.cu", total_source("", ""));
  const ScratchFile named("named.cu", total_source("// kgrade: precision exact\n", ""));
  const ScratchFile off("off.cu", total_source("", " + (i == n - 1)"));
  const Graded graded = grade({total, right.path(), named.path(), off.path()}, "emulated");
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.record["problem"]["precision"], "exact");
  const json& candidates = graded.record["candidates"];
  ASSERT_EQ(candidates.size(), 3u);
  expect_outcome(candidates[0], "accepted", "exact", "");
  expect_outcome(candidates[1], "accepted", "exact", "");
  expect_outcome(candidates[2], "wrong_answer", "none", "1 of 48 elements wrong");
  EXPECT_EQ(candidates[0]["cases"][0]["precision"], "exact");

  const ScratchFile file("record.json", graded.record.dump());
  const Result ranked = kgrade({"leaderboard", file.path(), "--json", "-"});
  ASSERT_EQ(ranked.exit_code, 0) << ranked.output;
  const json all = json::parse(ranked.output, nullptr, false);
  ASSERT_TRUE(all.is_object()) << ranked.output;
  ASSERT_EQ(all["unmeasured"].size(), 3u) << "times of this device are no speed";
  for (const json& row : all["unmeasured"]) {
    EXPECT_EQ(row["required_precision"], "exact");
    EXPECT_EQ(row["precision"], row["verdict"] == "accepted" ? "exact" : "none");
  }
  const Result table = kgrade({"grade", total, right.path(), "--device", "emulated", "--case", "small"});
  EXPECT_THAT(table.output, HasSubstr("accepted  " + right.path() + "  exact"));
}

TEST(ExactClass, IsTheOnlyOneOfItsProblems) {
  const ScratchFile lower("lower.cu", total_source("// kgrade: precision tf32\n", ""));
  const Result refused = kgrade({"grade", total, lower.path(), "--device", "emulated", "--case", "small"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("compile_error  " + lower.path()),
                    HasSubstr("problem 'running-total' allows no rounding, and has no class tf32")));
  const ScratchFile exact_scale("scale.cu", "// kgrade: precision exact\n" + exact);
  const Result other =
      kgrade({"grade", problem, exact_scale.path(), "--device", "emulated", "--case", "tiny"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output, HasSubstr("has no class exact: its answers may be rounded"));
}

TEST(ExactClass, LeavesNothingToCalibrate) {
  const Result result = kgrade({"calibrate", total, "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output,
            "nothing to calibrate: every output is compared exactly, and no error has a threshold\n");
  const Result shown = kgrade({"show", total});
  EXPECT_THAT(shown.output, HasSubstr("Answers must be exact: no element may be off."));
}

}  // namespace kgrade::test::precision_test
