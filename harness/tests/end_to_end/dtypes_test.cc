// Candidates of 16-bit types, from the command line to the verdict. Wrong ones are the naive solution with
// one change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test::dtypes_test {

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

}  // namespace kgrade::test::dtypes_test
