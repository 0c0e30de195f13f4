// `kgrade compare` from files to exit code.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "record/record_json.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"
#include "tests/support/sample_record.h"

namespace kgrade::test::compare_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// One candidate of these speeds, or a refused one.
std::string record_of(const std::string& path, double speedup, Verdict verdict = Verdict::accepted) {
  Record record = sample_record();
  record.candidates.resize(1);
  CandidateRecord& candidate = record.candidates[0];
  candidate.path = path;
  candidate.verdict = verdict;
  candidate.cases[1].speedups[0].ratio = {speedup, Interval{speedup / 1.001, speedup * 1.001},
                                          Method::within_process, 6};
  if (verdict == Verdict::accepted) return to_text(record);
  candidate.message = "wrong";
  candidate.scores.clear();
  candidate.cases[1].speedups.clear();
  return to_text(record);
}

TEST(Compare, TwoRecords) {
  const ScratchFile before("a.json", record_of("a.cu", 2));
  const ScratchFile after("b.json", record_of("b.cu", 3));
  EXPECT_THAT(
      kgrade({"compare", before.path(), after.path(), "--fail-on", "slower,not-accepted"}),
      Ended(0, HasSubstr("a.cu -> b.cu  1.5000x  1.4979x to 1.5021x  faster"), HasSubstr("1 faster\n")));
  EXPECT_EQ(kgrade({"compare", after.path(), before.path(), "--fail-on", "slower"}).exit_code, 4);
  EXPECT_EQ(kgrade({"compare", after.path(), before.path(), "--fail-on", "not-accepted"}).exit_code, 0);
  EXPECT_EQ(kgrade({"compare", after.path(), before.path()}).exit_code, 0) << "a difference is no failure";
}

// Two candidates of one heat: over the reference they are as fast, and in the same blocks b.cu was faster.
std::string record_of_heat() {
  nlohmann::json record = nlohmann::json::parse(record_of("a.cu", 2));
  record["candidates"].push_back(nlohmann::json::parse(record_of("b.cu", 2))["candidates"][0]);
  const auto add = [&record](std::size_t i, std::size_t other, double ratio) {
    nlohmann::json neighbour;
    for (const char* const key : {"path", "sha256"}) neighbour[key] = record["candidates"][other][key];
    const nlohmann::json interval = {{"low", ratio / 1.002}, {"high", ratio * 1.002}};
    neighbour.update({{"geometric_mean", ratio}, {"interval", interval}});
    neighbour["cases"] = {record["candidates"][i]["cases"][1]["comparisons"][0]};
    neighbour["cases"][0].erase("against");
    neighbour["cases"][0].update({{"name", "large"}, {"speedup", ratio}, {"interval", interval}});
    record["candidates"][i]["neighbours"] = {neighbour};
  };
  add(0, 1, 1 / 1.02);
  add(1, 0, 1.02);
  return record.dump();
}

TEST(Compare, CandidatesOfOneHeat) {
  const ScratchFile heat("heat.json", record_of_heat());
  const std::string sentence = "b.cu is faster than a.cu: 1.0200x (1.0180x to 1.0220x), in the same blocks\n";
  EXPECT_THAT(kgrade({"print", heat.path()}).output, HasSubstr(sentence));
  EXPECT_THAT(kgrade({"print", heat.path(), "--candidate", "a.cu"}).output, Not(HasSubstr("faster than")));
  EXPECT_THAT(kgrade({"print", heat.path(), "--case", "large"}).output, Not(HasSubstr("faster than")));
  const std::string board = kgrade({"leaderboard", heat.path()}).output;
  EXPECT_LT(board.find("b.cu"), board.find("a.cu")) << board;
}

TEST(Compare, TheSameFilesOnAnotherGpuNeverFail) {
  const auto with = [](double speedup, const char* uuid, char file) {
    nlohmann::json record = nlohmann::json::parse(record_of("a.cu", speedup));
    record["device"]["uuid"] = uuid;
    record["candidates"][0]["sha256"] = std::string(64, file);
    record["problem"]["sha256"] = record["reference"]["sha256"] = std::string(64, 'a');
    return record.dump();
  };
  const ScratchFile before("a.json", with(1, "GPU-1", 'b')), same("b.json", with(0.977, "GPU-2", 'b')),
      edited("c.json", with(0.977, "GPU-2", 'c')), here("d.json", with(0.977, "GPU-1", 'b'));
  const auto compare = [&](const ScratchFile& after) {
    return kgrade({"compare", before.path(), after.path(), "--fail-on", "slower"});
  };
  EXPECT_THAT(compare(same),
              Ended(0, HasSubstr("  0.977x  0.951x to 1.004x  same files  on another device\n"),
                    HasSubstr("1 of the same files on another device\n")));
  EXPECT_THAT(compare(edited).output, HasSubstr("inconclusive  on another device\n"));
  EXPECT_EQ(compare(here).exit_code, 4) << "on the same GPU something else has changed";
}

TEST(Compare, WhatIsNoLongerAcceptedFailsFirst) {
  const ScratchFile good("a.json", record_of("a.cu", 2));
  const ScratchFile bad("b.json", record_of("a.cu", 2, Verdict::wrong_answer));
  EXPECT_THAT(kgrade({"compare", good.path(), bad.path(), "--fail-on", "slower,not-accepted"}),
              Ended(1, HasSubstr("no longer accepted")));
  EXPECT_EQ(kgrade({"compare", bad.path(), good.path(), "--fail-on", "not-accepted"}).exit_code, 0);
}

TEST(Compare, WhatIsMissingOrCutOffFails) {
  const std::string good = nlohmann::json::parse(record_of("a.cu", 2)).dump() + "\n";
  const std::string other = nlohmann::json::parse(record_of("b.cu", 2)).dump() + "\n";
  const ScratchFile both("a.jsonl", good + other), one("b.jsonl", good), torn("c.jsonl", good + "{\"sche");
  EXPECT_THAT(kgrade({"compare", both.path(), one.path(), "--fail-on", "not-accepted"}),
              Ended(1, HasSubstr("missing: scale  b.cu  NVIDIA H200  accepted")));
  EXPECT_EQ(kgrade({"compare", one.path(), both.path(), "--fail-on", "not-accepted"}).exit_code, 0);
  EXPECT_THAT(kgrade({"compare", one.path(), torn.path(), "--fail-on", "not-accepted"}),
              Ended(1, HasSubstr(torn.path() + ":2: error: ends in the middle of a line")));
  EXPECT_EQ(kgrade({"compare", one.path(), torn.path()}).exit_code, 0);
}

TEST(Compare, WritesItsFiles) {
  const ScratchFile record("a.json", record_of("a.cu", 2));
  const std::string markdown = record.directory() + "/out.md", json = record.directory() + "/out.json";
  EXPECT_THAT(kgrade({"compare", record.path(), record.path(), "--markdown", markdown, "--json", json}),
              Ended(0));
  EXPECT_THAT(read_text_file(markdown).value(), HasSubstr("**1 same**"));
  EXPECT_EQ(nlohmann::json::parse(read_text_file(json).value())["counts"]["same"], 1);
  const Result printed = kgrade({"compare", record.path(), record.path(), "--markdown", "-"});
  EXPECT_THAT(printed.output, testing::StartsWith("**1 same**"));
  std::filesystem::remove(markdown);
  std::filesystem::remove(json);
}

TEST(Compare, WhatCannotBeReadOrWrittenIsSaid) {
  const ScratchFile record("a.json", record_of("a.cu", 2));
  const ScratchFile other("b.json", "{\"schema\": \"kgrade-record\", \"schema_version\": 99}");
  EXPECT_THAT(kgrade({"compare", record.path(), other.path()}),
              Ended(2, HasSubstr(other.path() + ": error: is a record of version 99")));
  EXPECT_THAT(kgrade({"compare", record.path(), record.path(), "--markdown", "/missing/x.md"}),
              Ended(2, HasSubstr("--markdown: there is no folder /missing")));
  EXPECT_EQ(kgrade({"compare", record.path(), record.path(), "--markdown", "-", "--json", "-"}).exit_code, 2);
  EXPECT_EQ(kgrade({"compare", record.path(), record.path(), "--fail-on", "luck"}).exit_code, 2);
}

// Leaderboards as the program makes them, from the records in the repository.

std::string content_of(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(LeaderboardCommand, PrintsATableAndWritesWhatItIsAskedFor) {
  const ScratchFile html("page.html", "");
  const std::string json = html.directory() + "/leaderboard.json";
  EXPECT_THAT(kgrade({"leaderboard", "results", "--html", html.path(), "--json", json}),
              Ended(0, HasSubstr("rank  candidate")));
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
  EXPECT_THAT(kgrade(arguments), Ended(0, HasSubstr(broken.path() + ":"),
                                       HasSubstr("warning: this one is left out of the leaderboard"),
                                       HasSubstr("rank  candidate")));
  std::vector<std::string> strict = arguments;
  strict.insert(strict.end(), {"--fail-on", "left-out"});
  const Result failed = kgrade(strict);
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.output, HasSubstr("rank  candidate")) << "it is made all the same";
  EXPECT_EQ(kgrade({"leaderboard", "results/nvidia-h200/baselines", "--fail-on", "left-out"}).exit_code, 0);
  EXPECT_EQ(kgrade({"leaderboard", broken.path()}).exit_code, 2) << "there is nothing to show";
}

TEST(LeaderboardCommand, WrongUsageIsSaidWithARemedy) {
  EXPECT_THAT(kgrade({"leaderboard", "no-such-folder"}), Ended(2, HasSubstr("no-such-folder")));
  EXPECT_THAT(kgrade({"leaderboard", "results", "--json", "-", "--html", "-"}),
              Ended(2, HasSubstr("only one can be printed")));
  EXPECT_THAT(kgrade({"leaderboard", "results", "--html", "no-such-folder/page.html"}),
              Ended(2, HasSubstr("--html: there is no folder no-such-folder")));
  EXPECT_THAT(kgrade({"leaderboard", "results", "--html", "-", "--links", "javascript:alert(1)"}),
              Ended(2, HasSubstr("--links: 'javascript:alert(1)' is no address of a page")));
  EXPECT_THAT(kgrade({"leaderboard", "results/nvidia-h200/baselines", "--kernelbench", "-"}),
              Ended(2, HasSubstr("no result here is of a numbered problem")));
}

TEST(LeaderboardCommand, WritesWhatKernelBenchReads) {
  std::string text = content_of(KGRADE_SOURCE_DIR
                                "/results/nvidia-h200/baselines/conv-transpose-3d-asym-input-sq-kernel.json");
  const std::string path = "solutions/conv-transpose-3d-asym-input-sq-kernel//naive.cu";
  ASSERT_NE(text.find(path), text.npos);
  text.replace(text.find(path), path.size(), "runs/mine/level_1_problem_68_sample_0_kernel.py");
  const ScratchFile sample("sample.json", text);
  const std::string file = sample.directory() + "/eval_results.json";
  EXPECT_THAT(kgrade({"leaderboard", sample.path(), "--kernelbench", file}),
              Ended(0, HasSubstr("pass@1 100.0 %")));
  const auto results = nlohmann::json::parse(content_of(file));
  EXPECT_EQ(results["68"][0]["correctness"], true);
  EXPECT_GT(results["68"][0]["runtime"], 1);
}

}  // namespace kgrade::test::compare_test
