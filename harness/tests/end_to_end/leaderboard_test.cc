// Leaderboards as the program makes them, from the records in the repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test::leaderboard_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string content_of(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(LeaderboardCommand, PrintsATableAndWritesWhatItIsAskedFor) {
  const ScratchFile html("page.html", "");
  const std::string json = html.directory() + "/leaderboard.json";
  const Result result = kgrade({"leaderboard", "results", "--html", html.path(), "--json", json});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("rank  candidate"));
  EXPECT_THAT(content_of(html.path()), StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(nlohmann::json::parse(content_of(json))["schema"], "kgrade-leaderboard");
}

TEST(LeaderboardCommand, SaysBelowItsTablesWhatHasToBeKnownToReadThem) {
  const Result result = kgrade({"leaderboard", "results/nvidia-h200/board.jsonl"});
  EXPECT_THAT(result.output, HasSubstr(" results here are --quick: no interval, no rank."));
  EXPECT_THAT(result.output,
              HasSubstr("of 150 problems were compared with a library. Any other speedup is against"));
}

TEST(LeaderboardCommand, MakesTheSameOfTheSameRecords) {
  for (const char* option : {"--html", "--json", "--markdown"}) {
    const Result first = kgrade({"leaderboard", "results", option, "-"});
    EXPECT_EQ(first.exit_code, 0);
    EXPECT_THAT(first.output, Not(HasSubstr("rank  candidate"))) << "one thing is printed";
    EXPECT_EQ(kgrade({"leaderboard", "results/nvidia-h200", "results", option, "-"}).output, first.output)
        << option;
  }
}

TEST(LeaderboardCommand, ABrokenRecordIsToldOfAndTheRestIsShown) {
  const ScratchFile broken("broken.json", "{\"schema\": \"kgrade-record\",\n");
  const std::vector<std::string> arguments = {"leaderboard", "results/nvidia-h200/baselines",
                                              broken.directory()};
  const Result shown = kgrade(arguments);
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.output, HasSubstr(broken.path() + ":"));
  EXPECT_THAT(shown.output, HasSubstr("warning: this one is left out of the leaderboard"));
  EXPECT_THAT(shown.output, HasSubstr("rank  candidate"));
  std::vector<std::string> strict = arguments;
  strict.insert(strict.end(), {"--fail-on", "left-out"});
  const Result failed = kgrade(strict);
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.output, HasSubstr("rank  candidate")) << "it is made all the same";
  EXPECT_EQ(kgrade({"leaderboard", "results/nvidia-h200/baselines", "--fail-on", "left-out"}).exit_code, 0);
  EXPECT_EQ(kgrade({"leaderboard", broken.path()}).exit_code, 2) << "there is nothing to show";
}

TEST(LeaderboardCommand, WrongUsageIsSaidWithARemedy) {
  const Result missing = kgrade({"leaderboard", "no-such-folder"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.output, HasSubstr("no-such-folder"));
  const Result both = kgrade({"leaderboard", "results", "--json", "-", "--html", "-"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.output, HasSubstr("only one can be printed"));
  const Result unwritable = kgrade({"leaderboard", "results", "--html", "no-such-folder/page.html"});
  EXPECT_EQ(unwritable.exit_code, 2);
  EXPECT_THAT(unwritable.output, HasSubstr("--html: there is no folder no-such-folder"));
  const Result script = kgrade({"leaderboard", "results", "--html", "-", "--links", "javascript:alert(1)"});
  EXPECT_EQ(script.exit_code, 2);
  EXPECT_THAT(script.output, HasSubstr("--links: 'javascript:alert(1)' is no address of a page"));
  const Result unnumbered = kgrade({"leaderboard", "results/nvidia-h200/baselines", "--kernelbench", "-"});
  EXPECT_EQ(unnumbered.exit_code, 2);
  EXPECT_THAT(unnumbered.output, HasSubstr("no result here is of a numbered problem"));
}

TEST(LeaderboardCommand, WritesWhatKernelBenchReads) {
  std::string text = content_of(KGRADE_SOURCE_DIR
                                "/results/nvidia-h200/baselines/conv-transpose-3d-asym-input-sq-kernel.json");
  const std::string path = "solutions/conv-transpose-3d-asym-input-sq-kernel//naive.cu";
  ASSERT_NE(text.find(path), text.npos);
  text.replace(text.find(path), path.size(), "runs/mine/level_1_problem_68_sample_0_kernel.py");
  const ScratchFile sample("sample.json", text);
  const std::string file = sample.directory() + "/eval_results.json";
  const Result written = kgrade({"leaderboard", sample.path(), "--kernelbench", file});
  EXPECT_EQ(written.exit_code, 0) << written.output;
  EXPECT_THAT(written.output, HasSubstr("pass@1 100.0 %"));
  const auto results = nlohmann::json::parse(content_of(file));
  EXPECT_EQ(results["68"][0]["correctness"], true);
  EXPECT_GT(results["68"][0]["runtime"], 1);
}

}  // namespace kgrade::test::leaderboard_test
