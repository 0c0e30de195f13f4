// Cases that are written on the command line, hidden ones that are named, and candidates from standard input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/command.h"

namespace kgrade::test::written_case_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
const std::string naive = "solutions/" + slug + "/naive.cu";

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
  const Result checked = kgrade({"check", slug, naive, "--device", "emulated", "--case", written});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr(written));
}

TEST(WrittenCases, HaveToFulfilWhatTheProblemRequires) {
  const Result refused =
      kgrade({"grade", slug, naive, "--device", "emulated", "--case", "in_channels=3,groups=2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("case 'in_channels=3,groups=2'"), HasSubstr("does not hold")));
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
  const Result nameless = kgrade({"check", slug, naive, "--device", "emulated", "--case", "hidden-2"});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_THAT(nameless.output, HasSubstr("--hidden-seed"));
}

TEST(StandardInput, IsGradedAndChecked) {
  Program program;
  program.input = text_of(naive);
  const Graded graded = grade({slug, "-", "--case", "tiny"}, "emulated", program);
  ASSERT_EQ(graded.exit_code, 0) << graded.output;
  EXPECT_EQ(graded.record["candidates"][0]["path"], "<stdin>");
  EXPECT_EQ(kgrade({"check", slug, "-", "--device", "emulated", "--case", "tiny"}, program).exit_code, 0);
  program.input = "#include <cstddef>\nnonsense;\n";
  const Result broken = kgrade({"grade", slug, "-", "--device", "emulated"}, program);
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.output, AllOf(HasSubstr("<stdin>:2"), Not(HasSubstr("stdin.cu"))));
  const Result twice = kgrade({"grade", slug, "-", "-", "--device", "emulated"}, program);
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.output, HasSubstr("name it once"));
}

}  // namespace kgrade::test::written_case_test
