#include "record/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "record/record_json.h"
#include "tests/support/sample_record.h"

namespace kgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, ReadsAtAGlance) {
  EXPECT_EQ(
      render_table(test::sample_record(), Style(false), false),
      "scale  NVIDIA H200\n"
      "accepted  good.cu  fp32  2.00x the reference\n"
      "  case   role    verdict     error  class   median  reference  speedup\n"
      "  tiny   sample  accepted  0.0e+00  fp32   1.50 ms    3.00 ms        -\n"
      "  large  bench   accepted  4.3e-07  fp32   1.50 ms    3.00 ms    2.00x\n"
      "  large: cold cache, 2 blocks (1 more void)\n"
      "    contestant   median  quartiles           minimum  roofline  candidate is  95 % interval\n"
      "    candidate   1.50 ms  1.44 ms to 1.62 ms  1.25 ms    66.7 %\n"
      "    reference   3.00 ms  2.88 ms to 3.12 ms  2.50 ms    33.3 %         2.00x  1.75x to 2.25x  faster\n"
      "  clocks held down: sw_power_cap for 25 % of the time\n"
      "  note: hot\n"
      "wrong_answer  bad.cu\n"
      "  case 'tiny': all wrong\n"
      "  case   role    verdict       error  class   median  reference  speedup\n"
      "  tiny   sample  wrong_answer    inf  none   1.50 ms    3.00 ms        -  all wrong\n"
      "  large  bench   skipped           -  -            -          -        -  not run: the "
      "candidate's process is gone\n"
      "  clocks held down: sw_power_cap for 25 % of the time\n");
}

// The README's figures come from records: it must show what would have been printed.
TEST(Table, TheToolForTheReadmePrintsTheSameFromTheRecord) {
  Record record = test::sample_record();
  record.candidates.resize(1);
  record.candidates[0].notes.clear();
  record.candidates[0].telemetry.reasons.clear();
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "record.json";
  ASSERT_TRUE(write_file_atomically(file, to_json(record).dump()).ok());
  ProcessRequest request;
  request.command = {"python3", KGRADE_SOURCE_DIR "/tools/readme_figures.py", "--print", file.string()};
  request.environment = {std::string("PATH=") + std::getenv("PATH")};
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->output, render_table(record, Style(false), false));
}

TEST(Table, ShowsNoTimesWhereTheyAreNoSpeed) {
  Record record = test::sample_record();
  record.device.measures_speed = false;
  for (CandidateRecord& candidate : record.candidates) {
    candidate.scores.clear();
    for (CaseRecord& c : candidate.cases) c.speedups.clear();
  }
  const std::string table = render_table(record, Style(false), false);
  EXPECT_THAT(table, Not(HasSubstr(" ms")));
  EXPECT_THAT(table, HasSubstr("do not measure speed"));
}

TEST(Table, SaysWithVerboseWhatTheDriverSaid) {
  Record record = test::sample_record();
  TelemetrySummary& telemetry = record.candidates[0].telemetry;
  telemetry.power_milliwatts = TelemetryRange{120'400, 317'232, 358'053};
  telemetry.other_processes = 0;
  telemetry.seconds = 2.56;
  const std::string said =
      "\n  telemetry: SM clock 1950 MHz (1900 to 1980), power 317 W (120 to 358), other processes 0, "
      "3 readings in 2.6 s\n";
  EXPECT_THAT(render_table(record, Style(false), true), HasSubstr(said));
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("telemetry")));
  telemetry.failed_readings = 2;
  EXPECT_THAT(render_table(record, Style(false), true), HasSubstr("3 readings in 2.6 s, 2 failed\n"));
  for (CandidateRecord& candidate : record.candidates) candidate.telemetry = {};
  EXPECT_THAT(render_table(record, Style(false), true), Not(HasSubstr("telemetry:")));
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("held down")));
}

TEST(Table, SaysThatContestantsWereNotConfined) {
  Record record = test::sample_record();
  record.sandbox = {false, {{"namespaces", false, "refused", "allow them"}}};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\nnot confined: namespaces are missing (kgrade doctor)\n"));
  record.sandbox = {};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\nnot confined: there is no sandbox (kgrade doctor)\n"));
}

TEST(Table, AHiddenShapeThatFailsCanBeSeenAndDrawnAgain) {
  Record record = test::sample_record();
  CaseRecord hidden = test::case_record("hidden-1", CaseRole::hidden, Verdict::accepted);
  record.candidates[1].cases.push_back(hidden);
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("hidden-seed")));
  hidden.name = "hidden-2";
  hidden.verdict = Verdict::wrong_answer;
  hidden.parameters = {{"height", 17}, {"width", 1}};
  hidden.real_parameters = {{"alpha", 0.5}};
  record.candidates[1].cases.push_back(hidden);
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\n  hidden-2 is height=17, width=1, alpha=0.5\n"
                        "  the same hidden shapes again: --hidden 2 --hidden-seed 18446744073709551614\n"));
}

TEST(Table, NamesAnOrderOfThreadsThatWasAskedFor) {
  Record record = test::sample_record();
  record.device.thread_order = "shuffled";
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("NVIDIA H200, threads in shuffled order\n"));
  record.device.thread_order = "forward";
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("order")));
}

TEST(Table, VerboseAddsChecksAndStages) {
  const std::string table = render_table(test::sample_record(), Style(false), true);
  EXPECT_THAT(table, HasSubstr("outputs_match  failed   tiny: all wrong"));
  EXPECT_THAT(table, HasSubstr("candidate     0.25"));
  EXPECT_THAT(table, HasSubstr("total         1.50"));
}

TEST(Table, ColoursDoNotMoveColumns) {
  const Record record = test::sample_record();
  std::string coloured = render_table(record, Style(true), false);
  for (std::size_t at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, render_table(record, Style(false), false));
}

TEST(Table, TimesHaveThreeDigits) {
  EXPECT_EQ(format_ms(0.00342), "3.42 us");
  EXPECT_EQ(format_ms(0.0563), "56.3 us");
  EXPECT_EQ(format_ms(12.34), "12.3 ms");
  EXPECT_EQ(format_ms(123.4), "123 ms");
  EXPECT_EQ(format_ms(1234), "1.23 s");
}

}  // namespace
}  // namespace kgrade
