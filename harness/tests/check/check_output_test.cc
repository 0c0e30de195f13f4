#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/check_github.h"
#include "check/check_record.h"

namespace kgrade::test {
namespace {

// A record of `kgrade check` with a bit of everything, for the printers.
Finding sample_race() {
  Finding race;
  race.kind = "race";
  race.message = "reads 4 bytes of shared memory: thread (3,0,0) wrote it at x.cu:7 with no barrier between";
  race.remedy = "put a __syncthreads() between";
  race.place = FindingPlace{"mine/x.cu", 9, "k(float*)", "out[i] = tile[t ^ 1];"};
  race.other_place = FindingPlace{"mine/x.cu", 7, "k(float*)", "tile[t] = in[i];"};
  race.kernel = "k";
  race.thread = FindingThread{{1, 0, 0}, {2, 0, 0}};
  race.other_thread = FindingThread{{1, 0, 0}, {3, 0, 0}};
  race.occurrences = 12;
  race.first_case = "tiny";
  race.passes = {"reverse", "shuffled"};
  return race;
}

CheckRecord sample_check() {
  CheckRecord record;
  record.tool = {"0.1.0", "0123456789abcdef0123456789abcdef01234567", false};
  record.started_at = "2026-01-02T03:04:05Z";
  record.device.kind = "emulated";
  record.sandbox = {true, {{"namespaces", true, "user, PID", ""}}};
  record.problem_slug = "scale";
  record.checker = "emulated device";
  record.seed = 18446744073709551615u;
  record.passes = {"forward", "reverse", "shuffled"};
  record.time_limit_seconds = 60;

  CheckedCase tiny;
  tiny.name = "tiny";
  tiny.run = true;
  tiny.passes = {{"forward", 2, Verdict::accepted, "", 0, 0, 0.25},
                 {"reverse", 2, Verdict::wrong_answer, "`out` is off", 1, 2, 0.5}};
  CheckedCase large;
  large.name = "large";
  large.message = "too large";

  CheckedCandidate bad;
  bad.path = "mine/x.cu";
  bad.status = CheckStatus::findings;
  Finding wrong;
  wrong.kind = "wrong_answer";
  wrong.message = "the answer is wrong in reverse order: `out` is off";
  wrong.first_case = "tiny";
  wrong.passes = {"reverse"};
  bad.findings = {sample_race(), wrong};
  bad.cases = {tiny, large};
  CheckedCandidate good;
  good.path = "good.cu";
  good.cases = {tiny};
  record.candidates = {bad, good};
  return record;
}

}  // namespace
}  // namespace kgrade::test

namespace kgrade {
namespace check_output_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(CheckTable, ReadsAtAGlance) {
  EXPECT_EQ(render_table(test::sample_check(), Style(false), false),
            "scale  emulated device\n"
            "findings  mine/x.cu  2 findings\n"
            "  mine/x.cu:9: race: reads 4 bytes of shared memory: thread (3,0,0) wrote it at x.cu:7 with no "
            "barrier "
            "between\n"
            "        9 | out[i] = tile[t ^ 1];\n"
            "        7 | tile[t] = in[i];\n"
            "    kernel k, block (1,0,0), thread (2,0,0), case tiny, reverse shuffled, 12 times\n"
            "    put a __syncthreads() between\n"
            "  wrong_answer: the answer is wrong in reverse order: `out` is off\n"
            "    case tiny, reverse\n"
            "  ran forward, reverse: tiny\n"
            "  skipped large: too large\n"
            "clean  good.cu\n"
            "  ran forward, reverse: tiny\n");
}

TEST(CheckTable, VerboseAddsEveryPass) {
  const std::string table = render_table(test::sample_check(), Style(false), true);
  EXPECT_THAT(table, HasSubstr("tiny  reverse      2  wrong_answer         2     0.50  `out` is off"));
}

TEST(CheckTable, CasesThatAreSkippedForTheSameReasonShareALine) {
  CheckRecord record = test::sample_check();
  CheckedCase skipped;
  skipped.message = "not run";
  for (const char* name : {"a", "b", "c"}) {
    skipped.name = name;
    record.candidates[1].cases.push_back(skipped);
  }
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr("  skipped a, b, c: not run\n"));
}

TEST(CheckTable, OnlyPassesThatRanAreNamed) {
  CheckRecord record = test::sample_check();
  for (CheckedCase& c : record.candidates[0].cases) {
    if (c.passes.size() > 1) c.passes.resize(1);
  }
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr("  ran forward: tiny\n"));
}

TEST(CheckTable, WhereThreadsWaitIsQuoted) {
  CheckRecord record = test::sample_check();
  FindingWait wait;
  wait.place = FindingPlace{"mine/x.cu", 30, "k", "__syncthreads();"};
  record.candidates[0].findings[0].waits = {wait};
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr("   30 | __syncthreads();\n"));
}

TEST(CheckTable, ACompileErrorIsPrintedOnce) {
  CheckRecord record = test::sample_check();
  CheckedCandidate& candidate = record.candidates[0];
  candidate.cases.clear();
  candidate.findings.clear();
  candidate.status = CheckStatus::compile_error;
  candidate.message = "x.cu:3:1: error: no";
  candidate.compiler_log =
      "In file included from kgrade-binding:28:\nx.cu: In function 'f':\nx.cu:3:1: error: no\n";
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("compile_error  mine/x.cu\nx.cu: In function 'f':\nx.cu:3:1: error: no\nclean"));
  candidate.message = "the compiler was stopped";
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("compile_error  mine/x.cu\n  the compiler was stopped\nx.cu: In"));
}

TEST(CheckTable, NotesAndDroppedFindingsAreSaid) {
  CheckRecord record = test::sample_check();
  record.notes = {"addr2line is not installed; install it"};
  record.candidates[0].dropped = 3;
  const std::string table = render_table(record, Style(false), false);
  EXPECT_THAT(table, HasSubstr("note: addr2line is not installed; install it\n"));
  EXPECT_THAT(table, HasSubstr("and 3 more places"));
}

TEST(CheckTable, SaysThatContestantsWereNotConfined) {
  CheckRecord record = test::sample_check();
  record.sandbox = {false, {{"namespaces", false, "refused", "allow them"}}};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\nnot confined: namespaces are missing (kgrade doctor)\n"));
}

TEST(CheckTable, ControlCharactersOfACandidateAreEscaped) {
  CheckRecord record = test::sample_check();
  record.candidates[0].path = "x\033[2J.cu";
  record.candidates[0].findings[0].place->text = "/* \033]0;title\007 */";
  record.candidates[0].findings[0].place->file = "\033.cu";
  record.candidates[0].findings[0].kernel = "k\033[31m";
  EXPECT_THAT(render_table(record, Style(false), true), Not(HasSubstr("\033")));
}

TEST(CheckTable, ColoursDoNotChangeTheText) {
  std::string coloured = render_table(test::sample_check(), Style(true), true);
  for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, render_table(test::sample_check(), Style(false), true));
}

TEST(CheckJson, AFindingHasItsPlacesThreadsAndPasses) {
  const json record = json::parse(to_text(test::sample_check()));
  EXPECT_EQ(record["schema"], "kgrade-check");
  EXPECT_EQ(record["seed"], "18446744073709551615");
  const json& race = record["candidates"][0]["findings"][0];
  EXPECT_EQ(race["kind"], "race");
  EXPECT_EQ(race["place"]["file"], "mine/x.cu");
  EXPECT_EQ(race["place"]["line"], 9);
  EXPECT_EQ(race["other_place"]["text"], "tile[t] = in[i];");
  EXPECT_EQ(race["thread"], json({{"block", {1, 0, 0}}, {"thread", {2, 0, 0}}}));
  EXPECT_EQ(race["passes"], json({"reverse", "shuffled"}));
}

TEST(CheckJson, WhatIsNotKnownIsNull) {
  const json record = to_json(test::sample_check());
  const json& wrong = record["candidates"][0]["findings"][1];
  EXPECT_TRUE(wrong["place"].is_null());
  EXPECT_TRUE(wrong["thread"].is_null());
  EXPECT_TRUE(record["candidates"][0]["cases"][1]["flops"].is_null());
}

TEST(CheckJson, BytesThatAreNotUtf8DoNotLoseTheRecord) {
  CheckRecord record = test::sample_check();
  record.candidates[0].findings[0].place->text = "caf\xe9";
  EXPECT_EQ(json::parse(to_text(record))["candidates"][0]["findings"][0]["place"]["text"], "caf\uFFFD");
}

std::vector<CheckRecord> with_one_for_a_gpu() {
  CheckRecord record = test::sample_check();
  CheckedCandidate candidate;
  candidate.path = "ptx.cu";
  candidate.status = CheckStatus::unsupported;
  candidate.message = "ptx.cu:4: inline assembly";
  record.candidates.push_back(candidate);
  return {record};
}

TEST(CheckGithub, ACompileErrorHasItsLineAndTheFirstFindingOfEachCandidateComesFirst) {
  CheckRecord record;
  record.problem_slug = "scale";
  const auto candidate = [&](const std::string& path, CheckStatus status, const std::string& message) {
    CheckedCandidate made;
    made.path = path;
    made.status = status;
    made.message = message;
    return made;
  };
  CheckedCandidate racy = candidate("racy.cu", CheckStatus::findings, "");
  racy.findings.resize(2);
  racy.findings[0].kind = "race";
  racy.findings[1].kind = "out_of_bounds";
  record.candidates = {racy,
                       candidate("bad.cu", CheckStatus::compile_error, "bad.cu:7:3: error: expected ';'"),
                       candidate("old.cu", CheckStatus::compile_error, "nvcc is gone")};
  const std::string text = github_annotations({record});
  EXPECT_THAT(text, HasSubstr("::error file=bad.cu,line=7,title=compile_error"));
  EXPECT_THAT(text, HasSubstr("::error file=old.cu,title=compile_error"));
  EXPECT_LT(text.find("race"), text.find("bad.cu"));
  EXPECT_LT(text.find("old.cu"), text.find("out_of_bounds"));
}

TEST(CheckGithub, AFindingIsAnErrorAtItsLine) {
  EXPECT_EQ(
      github_annotations(with_one_for_a_gpu()),
      "::error file=mine/x.cu,line=9,title=race%3A scale::reads 4 bytes of shared memory: thread (3,0,0) "
      "wrote it at x.cu:7 with no barrier between\n"
      "::error file=mine/x.cu,title=wrong_answer%3A scale::the answer is wrong in reverse order: `out` is "
      "off\n"
      "::notice file=ptx.cu,title=unsupported%3A scale::ptx.cu:4: inline assembly\n");
}

TEST(CheckGithub, TheSummarySaysWhyAndWhatIsClean) {
  const std::string text = github_summary(with_one_for_a_gpu());
  EXPECT_THAT(text, HasSubstr("### kgrade check: 1 of 3 clean, 1 unsupported on this machine\n"));
  EXPECT_THAT(text, HasSubstr("| scale | <code>mine/x&#46;cu</code> | **race** | "
                              "<code>mine/x&#46;cu&#58;9</code>: <code>reads 4 bytes"));
  EXPECT_THAT(text, HasSubstr("| scale | <code>ptx&#46;cu</code> | unsupported | "));
  EXPECT_THAT(text, HasSubstr("| scale | <code>good&#46;cu</code> | clean | |\n"));
}

TEST(CheckGithub, WhatDoesNotCompileIsAnError) {
  CheckRecord record = test::sample_check();
  record.candidates.resize(1);
  record.candidates[0].findings.clear();
  record.candidates[0].status = CheckStatus::compile_error;
  record.candidates[0].message = "no 'x'";
  EXPECT_EQ(github_annotations({record}), "::error file=mine/x.cu,title=compile_error%3A scale::no 'x'\n");
}

// What an architecture of GPUs lacks is the candidate's affair.
TEST(CheckGithub, OnAGpuNothingNeedsAnother) {
  std::vector<CheckRecord> records = with_one_for_a_gpu();
  records[0].device.kind = "cuda";
  EXPECT_THAT(github_annotations(records), HasSubstr("::error file=ptx.cu,"));
}

}  // namespace check_output_test
}  // namespace kgrade
