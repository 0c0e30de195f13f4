// Leaderboards as the program makes them, from the records in the repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/command.h"

namespace kgrade::test {
namespace {

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
}

}  // namespace
}  // namespace kgrade::test
