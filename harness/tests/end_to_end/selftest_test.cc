// The self-test as a program. On a device without speed, everything except the clock is exercised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test::selftest_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string content_of(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Selftest, HelpSaysWhatItDoes) {
  const Result help = kgrade({"selftest", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Usage: kgrade selftest"));
  EXPECT_THAT(help.output, HasSubstr("--comparisons"));
  EXPECT_THAT(kgrade({"--help"}).output, HasSubstr("selftest"));
}

TEST(Selftest, ListsItsKernels) {
  const Result result = kgrade({"selftest", "--list"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("arithmetic-100ms  arithmetic   100 ms"));
  const Result some = kgrade({"selftest", "--list", "--kernels", "read-*"});
  EXPECT_THAT(some.output, HasSubstr("read-10us"));
  EXPECT_THAT(some.output, Not(HasSubstr("arithmetic")));
}

TEST(Selftest, RunsEveryKernelOnTheEmulatedDeviceAndJudgesNothing) {
  const ScratchFile json("selftest.json", "");
  const ScratchFile svg("selftest.svg", "");
  const Result result =
      kgrade({"selftest", "--device", "emulated", "--seed", "7", "--json", json.path(), "--svg", svg.path()});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("Times of this device do not measure speed: nothing is judged."));
  EXPECT_THAT(result.output, Not(HasSubstr("refused")));
  EXPECT_THAT(result.left_behind, IsEmpty());
  const auto record = nlohmann::json::parse(content_of(json.path()));
  EXPECT_EQ(record["seed"], "7");
  EXPECT_EQ(record["judged"], false);
  EXPECT_EQ(record["fresh_processes"], true);
  EXPECT_EQ(record["kernels"].size(), 10u);
  ASSERT_EQ(record["comparisons"].size(), 20u);
  EXPECT_EQ(record["refused"], 0);
  for (const auto& comparison : record["comparisons"]) {
    EXPECT_TRUE(comparison["ratio"].is_object()) << comparison["kernel"] << ": " << comparison["problem"];
  }
  EXPECT_THAT(content_of(svg.path()), HasSubstr("</svg>"));
}

TEST(Selftest, KeptProcessesGiveTheSameAnswersAsNewOnes) {
  const Result result = kgrade({"selftest", "--device", "emulated", "--kernels", "copy-10ms,read-10us",
                                "--keep-processes", "--comparisons", "2", "--slowdowns", "1", "--json", "-"});
  EXPECT_EQ(result.exit_code, 3);
  const auto record = nlohmann::json::parse(result.output);
  EXPECT_EQ(record["fresh_processes"], false);
  EXPECT_EQ(record["comparisons"].size(), 3u);
  EXPECT_EQ(record["refused"], 0);
}

TEST(Selftest, SaysWhatIsWrongWithItsOptions) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "selftest");
    const Result result = kgrade(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_THAT(complaint({"--kernels", "sort-*"}), HasSubstr("there is no kernel 'sort-*'"));
  EXPECT_THAT(complaint({"--comparisons", "0", "--slowdowns", "0"}), HasSubstr("nothing is left to compare"));
  EXPECT_THAT(complaint({"--svg", "/no/such/folder/a.svg"}), HasSubstr("--svg: there is no folder"));
  EXPECT_THAT(complaint({"--json", "-", "--svg", "-"}), HasSubstr("both cannot be printed"));
  EXPECT_THAT(complaint({"--quick", "--ranked"}), HasSubstr("excludes"));
  EXPECT_THAT(complaint({"--device", "abacus"}), HasSubstr("abacus"));
}

}  // namespace kgrade::test::selftest_test
