// Candidates of 16-bit types, from the command line to the verdict. Wrong ones are the naive solution with
// one change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
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

  static json graded(const std::string& content, const std::string& case_name = "groups-4") {
    const ScratchFile file("candidate.cu", content);
    const Graded graded = grade({slug, file.path(), "--case", case_name});
    EXPECT_TRUE(graded.record.is_object()) << graded.output;
    return graded.record.is_object() ? graded.record["candidates"][0] : json::object();
  }

  static void expect_verdict(const json& candidate, const std::string& verdict,
                             const std::string& message = "") {
    EXPECT_EQ(candidate["verdict"], verdict) << candidate["message"];
    EXPECT_THAT(candidate["message"].get<std::string>(), HasSubstr(message));
  }
};

TEST_P(NarrowCandidates, TheNaiveOneIsAcceptedOnEveryCase) {
  const Graded graded = grade({slug, solution()});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0);
  EXPECT_EQ(graded.record["problem"]["dtype"], GetParam().name);
  const json& candidate = graded.record["candidates"][0];
  EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
  EXPECT_EQ(candidate["precision"], "fp32");
  for (const json& result : candidate["cases"]) {
    if (!result["run"]) continue;
    // Far below the threshold of 1e-5: hardly an element is not the nearest number.
    EXPECT_LT(result["error"]["relative"], 5e-7) << result["name"];
  }
}

TEST_P(NarrowCandidates, SumsInTheTypeAreOfLowPrecision) {
  const std::string sum =
      changed("sum += " + product() + ";", "sum = " + rounded("sum + " + product()) + ";");
  for (const char* name : {"groups-4", "plain", "stride-2x3"}) {
    const json candidate = graded(sum, name);
    expect_verdict(candidate, "low_precision");
    EXPECT_NE(candidate["precision"], "fp32") << name;
  }
}

TEST_P(NarrowCandidates, AWrongTapIsAWrongAnswer) {
  expect_verdict(graded(changed("* kernel_h + k) * kernel_w", "* kernel_h + kernel_h - 1 - k) * kernel_w")),
                 "wrong_answer", "elements wrong");
}

TEST_P(NarrowCandidates, AnUnwrittenElementIsAWrongAnswer) {
  expect_verdict(graded(changed(store(), "if (index != 3) " + store())), "wrong_answer", "[0, 0, 0, 3]");
}

TEST_P(NarrowCandidates, NaNsAndInfinitiesAreWrongAnswers) {
  for (const char* value : {"nanf(\"\")", "1.0f / 0.0f", "-1.0f / 0.0f"}) {
    const std::string spoiled = std::string("if (index == 5) sum = ") + value + ";\n  " + store();
    expect_verdict(graded(changed(store(), spoiled)), "wrong_answer", "[0, 0, 0, 5]");
  }
}

// One element further than the tensor is long, which has an odd number of elements in this case.
TEST_P(NarrowCandidates, AnElementBeyondTheEndIsOutOfBounds) {
  const std::string beyond =
      "if (index + 1 == batch_size * out_channels * out_height * out_width) output[index + 1] = " +
      GetParam().from_float + "(1.0f);\n  " + store();
  const json candidate = graded(changed(store(), beyond), "stride-2");
  expect_verdict(candidate, "out_of_bounds", "2 bytes written outside of 'output'");
}

TEST_P(NarrowCandidates, AChangedInputIsFound) {
  const std::string change =
      "const_cast<" + GetParam().cuda + "*>(input)[1] = " + GetParam().from_float + "(1.0f);\n  ";
  expect_verdict(graded(changed(store(), change + store())), "input_modified");
}

// The naive solution of float32, and one of the other 16-bit type.
TEST_P(NarrowCandidates, OthersHaveAnotherSignature) {
  const std::string other = GetParam().name == "float16" ? "naive-bf16.cu" : "naive-fp16.cu";
  for (const std::string& name : {std::string("naive.cu"), other}) {
    const Graded graded = grade({slug, "solutions/" + slug + "/" + name, "--dtype", GetParam().name});
    ASSERT_TRUE(graded.record.is_object()) << graded.output;
    expect_verdict(graded.record["candidates"][0], "signature_mismatch",
                   "parameter 1 'input' must be const " + GetParam().cuda + "*, not const ");
  }
}

TEST_P(NarrowCandidates, TheCheckerFindsAReadOfOneElementTooFar) {
  const ScratchFile file("candidate.cu",
                         changed("* kernel_h + k) * kernel_w + l];", "* kernel_h + k) * kernel_w + l + 1];"));
  const Result result =
      kgrade({"check", slug, file.path(), "--device", "emulated", "--case", "tiny", "--order", "forward"});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr(slug + "  " + GetParam().name));
  EXPECT_THAT(result.output, HasSubstr("reads 2 bytes"));
  EXPECT_THAT(result.output, HasSubstr("`kernel`"));
}

TEST_P(NarrowCandidates, TheTableNamesTheType) {
  const Result result = kgrade({"grade", slug, solution(), "--device", "emulated", "--case", "tiny"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr(slug + "  " + GetParam().name + "  emulated device"));
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
  const Result refused = kgrade(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("for bfloat16 and float16 and float32, and a record holds"));
}

TEST(Dtypes, OneThatIsNotListedIsRefusedWithTheList) {
  const Result result = kgrade({"grade", slug, "solutions/" + slug + "/naive.cu", "--dtype", "float64"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("is not for 'float64'"));
  EXPECT_THAT(result.output, HasSubstr("its dtypes are: float32, float16, bfloat16"));
}

TEST(Dtypes, ShowPrintsTheEntryPointOfTheType) {
  const Result result = kgrade({"show", slug, "--dtype", "bfloat16"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("const __nv_bfloat16* input"));
  EXPECT_THAT(result.output, HasSubstr("float32, float16, bfloat16"));
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

}  // namespace
}  // namespace kgrade::test
