#include "record/table.h"

#include <gmock/gmock.h>

#include <functional>
#include <utility>
#include <vector>

#include "record/advice.h"
#include "record/compiler_output.h"
#include "tests/support/sample_record.h"

namespace kgrade::table_test {

using testing::HasSubstr;
using testing::Not;

// Of all candidates all cases.
std::string printed(const Record& record) {
  const std::string text = render_table(record, Style(false), true);
  return text.substr(0, text.find("\n\n") + 1);
}

TEST(Table, ReadsAtAGlance) {
  Record record = test::sample_record();
  record.candidates[1].checks.clear();
  EXPECT_EQ(
      printed(record),
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
      "  note: hot\n");
  record.candidates.erase(record.candidates.begin());
  EXPECT_EQ(render_table(record, Style(false), false),
            "scale  NVIDIA H200\n"
            "wrong_answer  bad.cu\n"
            "  case 'tiny': all wrong\n"
            "  case  role    verdict       error  class   median  reference  speedup\n"
            "  tiny  sample  wrong_answer    inf  none   1.50 ms    3.00 ms        -  all wrong\n"
            "  skipped large: not run: the candidate's process is gone\n"
            "  clocks held down: sw_power_cap for 25 % of the time\n"
            "  next: kgrade check scale bad.cu --case tiny\n"
            "        kgrade grade scale bad.cu --case tiny\n");
}

TEST(Table, AnAcceptedCandidateIsOneLine) {
  EXPECT_THAT(render_table(test::sample_record(), Style(false), false),
              HasSubstr("scale  NVIDIA H200\n"
                        "accepted  good.cu  fp32  2.00x the reference\n"
                        "  clocks held down: sw_power_cap for 25 % of the time\n"
                        "  note: hot\n"
                        "wrong_answer  bad.cu\n"));
}

TEST(Table, TheSetsVerdictIsOneLine) {
  Record record = test::sample_record();
  record.candidates.pop_back();
  CandidateRecord& good = record.candidates[0];
  const auto line = [&] {
    const std::string text = render_table(record, Style(false), false);
    const std::size_t at = text.find("  by set: ");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(line(), "");
  good.by_set = CandidateBySet{SetVerdict::accepted, 2, 2, {}, {}};
  for (CaseRecord& c : good.cases) c.by_set = CaseBySet{true, 0, 100, 0.001, {0.01, 0.01}};
  EXPECT_EQ(line(), "  by set: accepted, 0.01 / 0.01 (all 2 cases)");
  good.cases[1].by_set->rule.absolute = 1;
  good.by_set = CandidateBySet{SetVerdict::wrong_answer, 2, 3, {"tiny", "large"}, {}};
  EXPECT_EQ(line(), "  by set: wrong_answer, each case by its rule (2 of 3 cases; refused: tiny and 1 more)");
  for (CaseRecord& c : good.cases) c.by_set.reset();
  good.by_set = CandidateBySet{SetVerdict::not_decided, 0, 1, {}, {}};
  EXPECT_EQ(line(), "  by set: not decided (0 of 1 case)");
}

TEST(Table, MatrixUnitsAreOneLine) {
  Record record = test::sample_record();
  EXPECT_THAT(render_table(record, Style(false), true), Not(HasSubstr("matrix units")));
  record.candidates[0].matrix_units = std::vector<std::string>{"bf16 (HGMMA)", "fp8 e4m3 (QGMMA)"};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\n  matrix units: bf16 (HGMMA), fp8 e4m3 (QGMMA)\n"));
  record.candidates[0].matrix_units->clear();
  EXPECT_THAT(
      render_table(record, Style(false), false),
      HasSubstr("\n  matrix units: none in its own code (libraries such as cuBLAS are not its own)\n"));
}

TEST(Table, SkippedCasesTakeOneLineForEachReason) {
  Record record = test::sample_record();
  std::vector<CaseRecord>& cases = record.candidates[1].cases;
  const CaseRecord skipped = cases[1];
  for (const auto& [name, why] : std::vector<std::pair<std::string, std::string>>{
           {"long", skipped.message}, {"wide", "needs 3 GiB"}, {"tall", skipped.message}}) {
    cases.push_back(skipped);
    cases.back().name = name;
    cases.back().message = why;
  }
  for (const bool verbose : {false, true}) {
    EXPECT_THAT(render_table(record, Style(false), verbose),
                HasSubstr("all wrong\n"
                          "  skipped large, long, tall: not run: the candidate's process is gone\n"
                          "  skipped wide: needs 3 GiB\n"));
  }
  for (const char* const name : {"big", "huge"}) {
    cases.push_back(skipped);
    cases.back().name = name;
    cases.back().message = std::string("too large; --case ") + name + " runs it";
    EXPECT_THAT(
        render_table(record, Style(false), false),
        HasSubstr(name == std::string("big") ? "  skipped big: too large; --case big runs it\n"
                                             : "  skipped big, huge: too large; --case NAME runs it\n"));
  }
  cases.erase(cases.begin());
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("bad.cu\n  case 'tiny': all wrong\n  skipped large, long, tall: not run"))
      << "no table without rows";
}

TEST(Table, ManyFailuresTakeAFewLinesEach) {
  Record record = test::sample_record();
  record.candidates[1].cases.resize(1);
  while (record.candidates.size() < 4) record.candidates.push_back(record.candidates[1]);
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr("  case  role")) << "these are few";
  record.candidates.push_back(record.candidates[1]);
  record.candidates[4].path = "last.cu";
  record.candidates[4].message = "last.cu:1: error: no\nand more";
  record.candidates[4].verdict = Verdict::compile_error;
  record.candidates[4].compiler_log = "last.cu:1: error: no\nand more\n";
  record.candidates[4].cases.clear();
  const std::string bad =
      "wrong_answer  bad.cu\n"
      "  case 'tiny': all wrong\n"
      "  next: kgrade check scale bad.cu --case tiny\n";
  EXPECT_EQ(render_table(record, Style(false), false),
            "scale  NVIDIA H200\n"
            "accepted  good.cu  fp32  2.00x the reference\n"
            "  clocks held down: sw_power_cap for 25 % of the time\n"
            "  note: hot\n" +
                bad + bad + bad +
                "compile_error  last.cu\n"
                "  last.cu:1: error: no\n"
                "4 candidates are shown in short: grade one alone to see its cases, or all with --verbose; "
                "`kgrade print` shows one of a record that --json wrote\n");
  EXPECT_THAT(render_table(record, Style(false), true), HasSubstr("  case  role"));
  record.candidates[2].by_set = CandidateBySet{SetVerdict::accepted, 1, 1, {}, {}};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("  case 'tiny': all wrong\n  by set: accepted\n  next: "));
}

TEST(Table, SaysHowManyCasesOfAnAcceptedCandidateRanWhereNotAllDid) {
  Record record = test::sample_record();
  record.candidates.pop_back();
  CandidateRecord& candidate = record.candidates[0];
  candidate.scores.clear();
  candidate.cases[1].run = false;
  EXPECT_EQ(cases_text(candidate), "1 of 2 cases; measured ones need a GPU");
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("accepted  good.cu  fp32  1 of 2 cases; measured ones need a GPU\n"));
  // What a module cannot state is left out on a GPU, too.
  candidate.cases[1].role = CaseRole::test;
  EXPECT_EQ(cases_text(candidate), "1 of 2 cases");
  candidate.cases[1].run = true;
  EXPECT_EQ(cases_text(candidate), "");
}

TEST(Table, ShowsWrongElementsOfTheSmallestFailureAndWhatToDoNext) {
  Record record = test::sample_record();
  record.candidates[1].path = "my bad.cu";
  CaseRecord& tiny = record.candidates[1].cases[0];
  tiny.wrong = WrongOutput{"out", 6, 2, 1, 0, "", {{{0, 1}, "0.5", "never written"}, {{1, 2}, "2", "nan"}}};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("  wrong elements of 'out' in case 'tiny', the smallest that fails:\n"
                        "    index   expected            got\n"
                        "    [0, 1]       0.5  never written\n"
                        "    [1, 2]         2            nan\n"
                        "  clocks held down: sw_power_cap for 25 % of the time\n"
                        "  next: kgrade check scale 'my bad.cu' --case tiny\n"
                        "        kgrade grade scale 'my bad.cu' --case tiny\n"));
}

TEST(Table, TheNextCommandsRunWhereTheGradeRan) {
  Record record = test::sample_record();
  record.device.kind = "emulated";
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("  next: kgrade check scale bad.cu --case tiny --device emulated\n"
                        "        kgrade grade scale bad.cu --case tiny --device emulated\n"));
}

TEST(Table, SaysWhatToDoAboutAKernelThatNeverEnds) {
  Record record = test::sample_record();
  const std::string advice =
      "  look for a loop that never ends; if it is only slow, --time-limit SECONDS allows more\n";
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr(advice)));
  record.candidates[1].verdict = record.candidates[1].cases[0].verdict = Verdict::time_limit;
  EXPECT_THAT(render_table(record, Style(false), false), HasSubstr(advice + "  next: kgrade check scale"));
}

Record with_compile_error(const std::string& message, const std::string& log) {
  Record record = test::sample_record();
  record.candidates.erase(record.candidates.begin());
  CandidateRecord& candidate = record.candidates[0];
  candidate.cases.clear();
  candidate.telemetry = {};
  candidate.verdict = Verdict::compile_error;
  candidate.message = message;
  candidate.compiler_log = log;
  return record;
}

TEST(Table, ShowsACompileErrorAsTheCandidatesOwn) {
  const std::string error = "bad.cu:3:30: error: 'bb' was not declared in this scope";
  const std::string log =
      "In file included from kgrade-binding:28:\nbad.cu: In function 'void f()':\n" + error + "\n";
  const Record record = with_compile_error(error, log);
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("compile_error  bad.cu\nbad.cu: In function 'void f()':\n" + error + "\n"));
  EXPECT_THAT(render_table(record, Style(false), true), HasSubstr("\n\n" + log));
}

TEST(Table, LeavesOutWhatACompilerSaysOfTheUnit) {
  const std::string quoted =
      "bad.cu(4): error: identifier \"bb\" is undefined\n    c[i] = bb[i];\n           ^\n";
  const std::string unit = "kgrade-binding(30): error: identifier \"f\" is undefined\n    f();\n    ^\n\n";
  EXPECT_EQ(
      log_about_candidate(quoted + "\n" + unit + "2 errors detected in the compilation of \"unit.cu\".\n"),
      quoted);
  EXPECT_EQ(log_about_candidate("In file included from bad.cu:7,\n                 from kgrade-binding:28:\n"
                                "mine.h:3:1: error: no\n"),
            "In file included from bad.cu:7:\nmine.h:3:1: error: no\n");
  EXPECT_EQ(log_about_candidate(unit), unit) << "no error would be left";
  const std::string cut = unit + "... and 20 more errors in 25 more lines\n";
  EXPECT_EQ(log_about_candidate(cut), cut) << "that is a count";
}

TEST(Table, NamesWhatAllFailedCasesHaveAndNoAcceptedOne) {
  Record record = test::sample_record();
  std::vector<CaseRecord>& cases = record.candidates[1].cases;
  cases.clear();
  const std::int64_t shapes[][3] = {{8, 1, 1}, {8, 2, 2}, {8, 1, 2}, {9, 3, 2}};
  for (const auto& [width, stride_h, stride_w] : shapes) {
    const Verdict verdict = stride_h == stride_w ? Verdict::accepted : Verdict::wrong_answer;
    cases.push_back(test::case_record("shape-" + std::to_string(cases.size()), CaseRole::test, verdict));
    cases.back().parameters = {{"stride_h", stride_h}, {"stride_w", stride_w}, {"width", width}};
  }
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("\n  all failed cases, and no accepted one, have stride_h != stride_w\n"));
  cases[0].parameters["stride_w"] = 2;
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("all failed cases")));
  cases[0].parameters = {{"width", 8}, {"stride_h", 1}, {"stride_w", 2}};
  cases[2].parameters["width"] = 7;
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("all failed cases, and no accepted one, have an odd width\n"));
  cases.pop_back();
  EXPECT_THAT(render_table(record, Style(false), false), Not(HasSubstr("all failed cases")))
      << "one failure shares nothing";
}

// Cases that fail where `fails` says so.
std::string shared_by(const std::vector<std::pair<Bindings, double>>& shapes,
                      const std::function<bool(const Bindings&, double)>& fails) {
  CandidateRecord candidate;
  for (const auto& [integers, scale] : shapes) {
    const Verdict verdict = fails(integers, scale) ? Verdict::wrong_answer : Verdict::accepted;
    candidate.cases.push_back(test::case_record("a", CaseRole::test, verdict));
    candidate.cases.back().parameters = integers;
    candidate.cases.back().real_parameters = {{"scale", scale}};
  }
  return shared_by_failures(candidate);
}

TEST(Advice, LooksAtFlagsLimitsAndRealNumbers) {
  std::vector<std::pair<Bindings, double>> shapes;
  for (std::int64_t i = 0; i < 12; ++i)
    shapes.push_back(
        {{{"interleaved", i / 2 % 2}, {"k", 2 + i * 5 % 12}}, i % 3 == 0 ? 1 : 0.25 * double(i)});
  const auto shared = [&](const auto& fails) { return shared_by(shapes, fails); };
  EXPECT_EQ(shared([](const Bindings& of, double) { return of.at("interleaved") != 0; }), "interleaved == 1");
  EXPECT_EQ(shared([](const Bindings& of, double) { return of.at("interleaved") == 0; }), "interleaved == 0");
  EXPECT_EQ(shared([](const Bindings& of, double) { return of.at("k") > 8; }), "k > 8");
  EXPECT_EQ(shared([](const Bindings&, double scale) { return scale > 1; }), "scale > 1");
  EXPECT_EQ(shared([](const Bindings&, double scale) { return scale != 1; }), "scale != 1");
  EXPECT_EQ(shared([](const Bindings& of, double) { return of.at("k") == 5 || of.at("k") == 8; }), "")
      << "nothing separates them";
  shapes.resize(5);
  EXPECT_EQ(shared([](const Bindings& of, double) { return of.at("k") > 8; }), "")
      << "among few cases, one limit or another separates any two";
}

TEST(Advice, NamesEachParameterThatSeparatesTheFailedCases) {
  // Shapes of rms-norm. Rows of two or three elements hide a missing barrier.
  std::vector<std::pair<Bindings, double>> shapes;
  for (const auto& [b, n] : std::vector<std::pair<int, int>>{{3, 5},
                                                             {16, 16},
                                                             {1, 521},
                                                             {131, 2},
                                                             {13, 37},
                                                             {5, 256},
                                                             {7, 257},
                                                             {1031, 3},
                                                             {3, 2053},
                                                             {2, 33013},
                                                             {5, 67}})
    shapes.push_back({{{"B", b}, {"N", n}}, 1});
  const auto fails = [](const Bindings& of, double) { return of.at("N") > 3; };
  EXPECT_EQ(shared_by(shapes, fails), "N > 3; this fits as well: B < 131");
  shapes.push_back({{{"B", 2048}, {"N", 4}}, 1});
  EXPECT_EQ(shared_by(shapes, fails), "N > 3") << "a case tells them apart";
  for (auto& [integers, scale] : shapes)
    for (const char* const name : {"c", "a", "K"}) integers[name] = integers.at("N") > 3 ? 8 : 1;
  EXPECT_EQ(shared_by(shapes, fails), "K > 1; these fit as well: a > 1, c > 1")
      << "those that need no limit come first, and at most three are named";
}

TEST(Table, WhereOnlyAHiddenShapeFailsTheNextStepDrawsItAgain) {
  Record record = test::sample_record();
  record.candidates[1].cases = {test::case_record("hidden-1", CaseRole::hidden, Verdict::wrong_answer)};
  EXPECT_THAT(render_table(record, Style(false), false),
              HasSubstr("kgrade check scale bad.cu --case hidden-1 --hidden-seed 18446744073709551614\n"));
}

TEST(UninitialisedVariables, AreNamedByEachCompiler) {
  const std::string log =
      "a.cu:6:10: warning: 'sum' may be used uninitialized [-Wmaybe-uninitialized]\n"
      "    6 |   return sum;\n"
      "a.cu:4:9: note: 'sum' was declared here\n"
      "b.cu(9): warning #549-D: variable \"x\" is used before its value is set\n"
      "b.cu(9): warning #549-D: variable \"x\" is used before its value is set\n"
      "c.cu:3:1: warning: unused variable 'y' [-Wunused-variable]\n";
  const std::vector<UninitialisedVariable> expected = {
      {"a.cu", 4, "'sum' may be used uninitialized"},
      {"b.cu", 9, "variable \"x\" is used before its value is set"}};
  EXPECT_EQ(uninitialised_variables(log), expected);
  Record record = test::sample_record();
  record.candidates.resize(1);
  record.candidates[0].compiler_log = log;
  record.candidates[0].verdict = Verdict::accepted;
  EXPECT_EQ(render_table(record, Style(false), false).find("the compiler warns"), std::string::npos);
  record.candidates[0].verdict = Verdict::wrong_answer;
  EXPECT_NE(render_table(record, Style(false), false)
                .find("  the compiler warns: a.cu:4: 'sum' may be used uninitialized\n"),
            std::string::npos);
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

}  // namespace kgrade::table_test
