// Candidates of 16-bit types, from the command line to the verdict. Wrong ones are the naive solution with
// one change.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::dtypes_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string slug = "conv-transpose-2d-sq-input-asym-kernel";

// How the two types are written.
struct Type {
  std::string name;
  std::string solution;
  std::string cuda;
  std::string to_float;
  std::string from_float;
};

void PrintTo(const Type& type, std::ostream* stream) { *stream << type.name; }

const std::vector<Type> types = {
    {"float16", "naive-fp16.cu", "__half", "__half2float", "__float2half"},
    {"bfloat16", "naive-bf16.cu", "__nv_bfloat16", "__bfloat162float", "__float2bfloat16"}};

class NarrowCandidates : public testing::TestWithParam<Type> {
 protected:
  static std::string solution() { return "solutions/" + slug + "/" + GetParam().solution; }

  // The naive solution with its only `from` replaced.
  static std::string changed(const std::string& from, const std::string& to) {
    std::ifstream stream(fs::path(KGRADE_SOURCE_DIR) / solution());
    std::stringstream text;
    text << stream.rdbuf();
    std::string content = text.str();
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(content.find(from, at + 1), std::string::npos) << from;
    return at == std::string::npos ? content : content.replace(at, from.size(), to);
  }

  static std::string store() { return "output[index] = " + GetParam().from_float + "(sum);"; }
  static std::string product() {
    return GetParam().to_float + "(value) * " + GetParam().to_float + "(weight)";
  }
  static std::string rounded(const std::string& value) {
    return GetParam().to_float + "(" + GetParam().from_float + "(" + value + "))";
  }
};

struct Wrong {
  std::string source;
  std::string verdict;
  testing::Matcher<std::string> message;
};

void expect_refused(const json& candidate, const Wrong& wrong) {
  EXPECT_EQ(candidate["verdict"], wrong.verdict) << wrong.source << candidate["message"];
  EXPECT_THAT(candidate["message"].get<std::string>(), wrong.message);
}

// One element of two bytes was written. Guard zones hold random bits: once in 128 times, one of the two bytes
// already had that value.
testing::Matcher<std::string> element_outside() {
  return testing::AnyOf(HasSubstr("2 bytes written outside of 'output'"),
                        HasSubstr("1 byte written outside of 'output'"));
}

// HonestCandidates shows that it is accepted, and in which class.
TEST_P(NarrowCandidates, TheNaiveOnesErrorIsFarBelowTheThreshold) {
  const Graded graded = grade({slug, solution()});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0);
  EXPECT_EQ(graded.record["problem"]["dtype"], GetParam().name);
  for (const json& result : graded.record["candidates"][0]["cases"]) {
    if (!result["run"]) continue;
    // The threshold is 5e-6: nearly every element is the nearest number.
    EXPECT_LT(result["error"]["relative"], 5e-7) << result["name"];
  }
}

// All in one run, which builds oracle and reference once.
TEST_P(NarrowCandidates, WrongOnesAreRefused) {
  const std::string from_float = GetParam().from_float;
  const auto spoiled = [](const std::string& value) {
    return changed(store(), "if (index == 5) sum = " + value + ";\n  " + store());
  };
  const std::vector<Wrong> all = {
      {changed("sum += " + product() + ";", "sum = " + rounded("sum + " + product()) + ";"), "low_precision",
       testing::_},
      {changed("sum += " + product() + ";", "sum += " + rounded(product()) + ";"), "low_precision",
       testing::_},
      {changed("* kernel_h + k) * kernel_w", "* kernel_h + kernel_h - 1 - k) * kernel_w"), "wrong_answer",
       HasSubstr("elements wrong")},
      {changed(store(), "if (index != 3) " + store()), "wrong_answer", HasSubstr("[0, 0, 0, 3]")},
      {spoiled("nanf(\"\")"), "wrong_answer", HasSubstr("[0, 0, 0, 5]")},
      {spoiled("1.0f / 0.0f"), "wrong_answer", HasSubstr("[0, 0, 0, 5]")},
      {spoiled("-1.0f / 0.0f"), "wrong_answer", HasSubstr("[0, 0, 0, 5]")},
      {changed(store(), "if (index == 0) output[batch_size * out_channels * out_height * out_width] = " +
                            from_float + "(1.0f);\n  " + store()),
       "out_of_bounds", element_outside()},
      {changed(store(), "if (index == 0) output[-1] = " + from_float + "(1.0f);\n  " + store()),
       "out_of_bounds", element_outside()},
      {changed(store(),
               "const_cast<" + GetParam().cuda + "*>(input)[1] = " + from_float + "(1.0f);\n  " + store()),
       "input_modified", HasSubstr("input 'input' changed")}};
  std::vector<std::unique_ptr<ScratchFile>> files;
  std::vector<std::string> arguments = {slug, "--case", "stride-2x3", "--case", "groups-4"};
  for (const Wrong& wrong : all) {
    files.push_back(std::make_unique<ScratchFile>("candidate.cu", wrong.source));
    arguments.push_back(files.back()->path());
  }
  const Graded graded = grade(arguments);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  ASSERT_EQ(graded.record["candidates"].size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) expect_refused(graded.record["candidates"][i], all[i]);
}

// The naive solution of float32, and one of the other 16-bit type.
TEST_P(NarrowCandidates, OthersHaveAnotherSignature) {
  const std::string folder = "solutions/" + slug + "/";
  const std::string other = GetParam().name == "float16" ? "naive-bf16.cu" : "naive-fp16.cu";
  const Graded graded =
      grade({slug, folder + "naive.cu", folder + other, "--dtype", GetParam().name, "--case", "tiny"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  for (const json& candidate : graded.record["candidates"]) {
    const std::string message = "parameter 1 'input' must be const " + GetParam().cuda + "*, not const ";
    expect_refused(candidate, {"", "signature_mismatch", HasSubstr(message)});
  }
}

TEST_P(NarrowCandidates, TheCheckerFindsAReadOfOneElementTooFar) {
  const ScratchFile file("candidate.cu",
                         changed("* kernel_h + k) * kernel_w + l];", "* kernel_h + k) * kernel_w + l + 1];"));
  EXPECT_THAT(
      kgrade({"check", slug, file.path(), "--device", "emulated", "--case", "tiny", "--order", "forward"}),
      Ended(1, HasSubstr(slug + "  " + GetParam().name), HasSubstr("reads 2 bytes"), HasSubstr("`kernel`")));
}

TEST_P(NarrowCandidates, TheTableNamesTheType) {
  EXPECT_THAT(kgrade({"grade", slug, solution(), "--device", "emulated", "--case", "tiny"}),
              Ended(0, HasSubstr(slug + "  " + GetParam().name + "  emulated device")));
}

// What every operator of the references gives in the type, rounded once.
TEST_P(NarrowCandidates, ReferencesAreAcceptedAsCandidates) {
  const fs::path references = fs::path(KGRADE_SOURCE_DIR) / "reference";
  const std::string macro = GetParam().name == "float16" ? "KGRADE_FLOAT16" : "KGRADE_BFLOAT16";
  const std::map<std::string, std::string> sources = {
      {"conv-depthwise-2d-square-input-asym-kernel", "families/conv-depthwise-2d.cu"},
      {"conv-transpose2d-batchnorm-tanh-maxpool-groupnorm",
       "conv-transpose2d-batchnorm-tanh-maxpool-groupnorm.cu"}};
  for (const auto& [problem, source] : sources) {
    const ScratchFile file("candidate.cu", "// kgrade: dtype " + GetParam().name + "\n#define " + macro +
                                               "\n#define KGRADE_ELEMENT " + GetParam().cuda +
                                               "\n#include \"reference.cuh\"\n");
    fs::copy(references / "ops", fs::path(file.directory()) / "ops");
    fs::copy(references / source, fs::path(file.directory()) / "reference.cuh");
    const Graded graded = grade({problem, file.path(), "--hidden", "0"});
    fs::remove_all(fs::path(file.directory()) / "ops");
    fs::remove(fs::path(file.directory()) / "reference.cuh");
    ASSERT_TRUE(graded.record.is_object()) << graded.output;
    const json& candidate = graded.record["candidates"][0];
    EXPECT_EQ(candidate["verdict"], "accepted") << problem << ": " << candidate["message"];
    EXPECT_EQ(candidate["precision"], "fp32") << problem;
  }
}

INSTANTIATE_TEST_SUITE_P(EachType, NarrowCandidates, testing::ValuesIn(types),
                         [](const auto& test) { return test.param.name; });

TEST(Dtypes, ASweepGradesEachCandidateInItsType) {
  const std::string folder = "solutions/" + slug + "/";
  const std::vector<std::string> all = {folder + "naive-bf16.cu", folder + "naive-fp16.cu",
                                        folder + "naive.cu"};
  std::vector<std::string> arguments = {"grade", slug, "--device", "emulated", "--case", "tiny"};
  arguments.insert(arguments.end(), all.begin(), all.end());
  const Result result = kgrade(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  for (const std::string& file : all) EXPECT_THAT(result.output, HasSubstr("accepted  " + file));
  // One record holds one type.
  arguments.insert(arguments.end(), {"--json", "-"});
  EXPECT_THAT(kgrade(arguments),
              Ended(2, HasSubstr("for bfloat16 and float16 and float32, and a record holds")));
}

TEST(Dtypes, OneThatIsNotListedIsRefusedWithTheList) {
  EXPECT_THAT(
      kgrade({"grade", slug, "solutions/" + slug + "/naive.cu", "--dtype", "float64"}),
      Ended(2, HasSubstr("is not for 'float64'"), HasSubstr("its dtypes are: float32, float16, bfloat16")));
}

TEST(Dtypes, ShowPrintsTheEntryPointOfTheType) {
  EXPECT_THAT(kgrade({"show", slug, "--dtype", "bfloat16"}),
              Ended(0, HasSubstr("const __nv_bfloat16* input"), HasSubstr("float32, float16, bfloat16")));
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Sizes: the header is padded to 64 bytes, `tiny` has 4 inputs and 8 outputs.
TEST(Dtypes, DumpsHaveNumPysTypes) {
  const ScratchFile place("unused", "");
  for (const char* dtype : {"float32", "float16", "bfloat16"}) {
    const fs::path folder = fs::path(place.directory()) / dtype;
    const Result result = kgrade({"dump", slug, "--case", "tiny", "--dtype", dtype, "--directory",
                                  folder.string(), "--device", "emulated"});
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const std::string input = bytes_of(folder / "tiny/input.npy");
    const bool halves = std::string(dtype) == "float16";
    EXPECT_THAT(input, HasSubstr(halves ? "'<f2'" : "'<f4'"));
    EXPECT_EQ(input.size() % 64, halves ? 8u : 16u) << dtype;
    EXPECT_THAT(bytes_of(folder / "tiny/output.npy"), HasSubstr("'<f4'"));
    EXPECT_EQ(json::parse(bytes_of(folder / "tiny/case.json"))["dtype"], dtype);
    fs::remove_all(folder);
  }
}

// Candidates that compete in a precision class other than their problem's, from the command line to the
// verdict. The problem asks for fp32: twice each element.

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
  EXPECT_THAT(kgrade({"grade", problem, file.path(), "--precision", "fp8", "--device", "emulated"}),
              Ended(2, HasSubstr("there is no precision class 'fp8'")));
}

TEST(PrecisionClasses, ARecordHoldsOne) {
  const ScratchFile loose("halves.cu", for_tf32 + halves);
  const ScratchFile strict("exact.cu", exact);
  std::vector<std::string> arguments = {"grade",    problem,    strict.path(), loose.path(),
                                        "--device", "emulated", "--case",      "tiny"};
  EXPECT_THAT(kgrade(arguments), Ended(0, AllOf(HasSubstr("accepted  " + strict.path() + "  fp32"),
                                                HasSubstr("accepted  " + loose.path() + "  tf32"))));
  arguments.insert(arguments.end(), {"--json", "-"});
  EXPECT_THAT(kgrade(arguments),
              Ended(2, HasSubstr("for float32 of class fp32 and float32 of class tf32, and a record holds")));
}

TEST(PrecisionClasses, OneThatDoesNotExistIsTheVerdictOfItsCandidate) {
  const ScratchFile file("candidate.cu", "// Text.\n// kgrade: precision fp16\n" + halves);
  EXPECT_THAT(kgrade({"grade", problem, file.path(), "--device", "emulated", "--case", "tiny"}),
              Ended(1, AllOf(HasSubstr("compile_error  " + file.path()),
                             HasSubstr("line 2: this line says nothing that is known"),
                             HasSubstr("`// kgrade: precision tf32`"))));
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
    EXPECT_THAT(kgrade({"check", problem, file.path(), "--device", "emulated", "--case", "tiny", "--order",
                        "forward"}),
                Ended(exit_code));
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
  EXPECT_THAT(
      kgrade({"grade", total, lower.path(), "--device", "emulated", "--case", "small"}),
      Ended(1, AllOf(HasSubstr("compile_error  " + lower.path()),
                     HasSubstr("problem 'running-total' allows no rounding, and has no class tf32"))));
  const ScratchFile exact_scale("scale.cu", "// kgrade: precision exact\n" + exact);
  EXPECT_THAT(kgrade({"grade", problem, exact_scale.path(), "--device", "emulated", "--case", "tiny"}),
              Ended(1, HasSubstr("has no class exact: its answers may be rounded")));
}

TEST(ExactClass, LeavesNothingToCalibrate) {
  const Result result = kgrade({"calibrate", total, "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output,
            "nothing to calibrate: every output is compared exactly, and no error has a threshold\n");
  const Result shown = kgrade({"show", total});
  EXPECT_THAT(shown.output, HasSubstr("Answers must be exact: no element may be off."));
}

}  // namespace kgrade::test::dtypes_test
