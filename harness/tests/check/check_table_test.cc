#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/check_record.h"
#include "sample_check.h"

namespace kgrade {
namespace check_table_test {

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

}  // namespace check_table_test
}  // namespace kgrade
