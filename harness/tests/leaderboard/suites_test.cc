// Scores of a solution over all problems.
#include <gmock/gmock.h>

#include <stdexcept>

#include "leaderboard/leaderboard.h"
#include "leaderboard/leaderboard_output.h"
#include "leaderboard/page.h"
#include "leaderboard/samples.h"
#include "tests/support/sample_results.h"

namespace kgrade::suites_test {

using test::beside_baseline;
using test::record;
using test::refused;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

Record at(Record made, const std::string& day) {
  made.started_at = day + "T00:00:00Z";
  return made;
}

Record on(Record made, const std::string& slug) {
  made.problem_slug = slug;
  return made;
}

TEST(Suites, FollowASolutionOverAllProblems) {
  const Leaderboard made =
      make_leaderboard({on(record("one/fast.cu", 4), "p1"), on(record("two/fast.cu", 1), "p2"),
                        on(record("one/slow.cu", 0.5), "p1"),
                        refused(on(record("three/fast.cu", 9), "p3"), Verdict::wrong_answer)});
  ASSERT_THAT(made.suites, SizeIs(1));
  const Suite& suite = made.suites[0];
  EXPECT_EQ(suite.problems, 3u);
  ASSERT_THAT(suite.rows, SizeIs(2));
  EXPECT_EQ(suite.rows[0].solution, "fast");
  EXPECT_EQ(suite.rows[0].accepted, 2u);
  EXPECT_THAT(suite.rows[0].speedups, ElementsAre(4, 1));
  EXPECT_DOUBLE_EQ(suite.rows[0].score.geometric_mean, 2);
  EXPECT_DOUBLE_EQ(suite.rows[0].fast_p.at(1), 1.0 / 3) << "above 1, and of all problems";
  EXPECT_DOUBLE_EQ(suite.rows[0].fast_p.at(0.5), 2.0 / 3);
  EXPECT_DOUBLE_EQ(suite.rows[1].fast_p.at(0.5), 0);
}

TEST(Suites, FastPIsGivenWithoutDegenerateProblemsToo) {
  Record constant = on(record("fast.cu", 4), "constant");
  constant.candidate().cases.at(0).hardly_depends = {"output"};
  Leaderboard made = make_leaderboard({constant, on(record("fast.cu", 0.5), "p1")});
  const Suite& suite = made.suites.at(0);
  EXPECT_THAT(suite.degenerate, ElementsAre("constant"));
  EXPECT_DOUBLE_EQ(suite.rows.at(0).fast_p.at(1), 0.5);
  EXPECT_DOUBLE_EQ(suite.rows.at(0).fast_p_without_degenerate.at(1), 0);
  const auto json = to_json(made)["suites"][0];
  EXPECT_EQ(json["degenerate"].dump(), R"(["constant"])");
  EXPECT_EQ(json["rows"][0]["fast_p_without_degenerate"]["0.5"], 0);
  EXPECT_FALSE(
      to_json(make_leaderboard({constant}))["suites"][0]["rows"][0].contains("fast_p_without_degenerate"))
      << "the page has no brackets where none is left";
  ASSERT_TRUE(keep_suites_against(made, "reference").ok());
  const std::string table = render_table(made, Style(false));
  EXPECT_NE(table.find("50 % (0 %)"), std::string::npos) << table;
  EXPECT_NE(table.find("without constant, whose answers to other inputs are nearly the same"),
            std::string::npos)
      << table;
}

TEST(Suites, AProblemInTwoElementTypesIsOneProblem) {
  Record half = on(record("half.cu", 3), "p1");
  half.dtype = Dtype::float16;
  const Leaderboard made =
      make_leaderboard({on(record("fast.cu", 4), "p1"), on(record("fast.cu", 1), "p2"), half});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[0].dtype, Dtype::float32);
  EXPECT_EQ(made.suites[0].problems, 2u);
  EXPECT_EQ(made.suites[0].rows.at(0).accepted, 2u);
  EXPECT_EQ(made.suites[1].dtype, Dtype::float16);
  EXPECT_EQ(made.suites[1].problems, 1u);
}

TEST(Suites, TheNewestResultOfASolutionCounts) {
  Record changed = at(record("fast.cu", 3), "2026-05-01");
  changed.candidate().sha256 = std::string(64, 'd');
  const Leaderboard made = make_leaderboard({at(record("fast.cu", 8), "2026-01-01"), changed});
  EXPECT_THAT(made.suites.at(0).rows.at(0).speedups, ElementsAre(3));
}

TEST(Suites, AgainstBaselinesOnlyProblemsThatHaveOneCount) {
  const Leaderboard made =
      make_leaderboard({on(beside_baseline(record("fast.cu", 4), 2), "p1"), on(record("fast.cu", 4), "p2")});
  ASSERT_THAT(made.suites, SizeIs(3));
  EXPECT_EQ(made.suites[0].against, "reference");
  EXPECT_EQ(made.suites[0].problems, 2u);
  EXPECT_EQ(made.suites[1].against, "baseline");
  EXPECT_EQ(made.suites[2].against, "cudnn-fp32");
  EXPECT_EQ(made.suites[1].problems, 1u);
  EXPECT_DOUBLE_EQ(made.suites[1].rows.at(0).fast_p.at(1.5), 1);
}

Record beside_by_name(Record made, const std::string& name, double speedup) {
  made.candidate().by_baseline.push_back({name, {speedup, Interval{speedup, speedup}, 1}, {}});
  return made;
}

TEST(Suites, AreAgainstEachBaselineByItsNameToo) {
  Leaderboard made = make_leaderboard(
      {on(beside_by_name(record("fast.cu", 4), "pytorch-tf32", 1.25), "p1"), on(record("fast.cu", 4), "p2")});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[1].against, "pytorch-tf32");
  EXPECT_EQ(made.suites[1].problems, 1u);
  EXPECT_DOUBLE_EQ(made.suites[1].rows.at(0).fast_p.at(1), 1);
  EXPECT_DOUBLE_EQ(made.suites[1].rows.at(0).fast_p.at(1.5), 0);
  EXPECT_EQ(render_table(made, Style(false)).find("pytorch-tf32"), std::string::npos) << "unless asked for";

  ASSERT_TRUE(keep_suites_against(made, "pytorch-tf32").ok());
  ASSERT_THAT(made.suites, SizeIs(1));
  EXPECT_NE(render_table(made, Style(false)).find("pytorch-tf32"), std::string::npos);
}

TEST(Suites, NameWhatThereIsWhereNothingIsAgainstABaseline) {
  Leaderboard made = make_leaderboard({beside_by_name(record("fast.cu", 4), "cudnn-fp32", 2)});
  const auto kept = keep_suites_against(made, "pytorch-fp32");
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().message, "--against: nothing here was compared with 'pytorch-fp32'");
  EXPECT_EQ(kept.error().remedy, "name one of cudnn-fp32, reference");
  EXPECT_THAT(made.suites, SizeIs(2)) << "and nothing is left out";
}

TEST(Suites, AModelOfAFileIsPyTorchInFp32) {
  Record of_file = record("fast.py", 4);
  of_file.reference.path = "level1/1_Matmul.py";
  const Leaderboard made = make_leaderboard({of_file});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[1].against, "pytorch-fp32");
  EXPECT_EQ(made.suites[1].rows.at(0).speedups, made.suites[0].rows.at(0).speedups);
}

TEST(Suites, DoNotMixColdAndWarmCaches) {
  Record warm = on(record("fast.cu", 9), "p2");
  for (CaseRecord& c : warm.candidate().cases) {
    if (c.measurement) c.measurement->cache = CacheState::warm;
  }
  const Leaderboard made = make_leaderboard({on(record("fast.cu", 3), "p1"), warm});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[0].cache, "cold");
  EXPECT_THAT(made.suites[0].rows.at(0).speedups, ElementsAre(3));
  EXPECT_EQ(made.suites[1].cache, "warm");
  EXPECT_THAT(made.suites[1].rows.at(0).speedups, ElementsAre(9));
}

TEST(Suites, AProblemThatForbidsTheClassIsNotHeldAgainstASolution) {
  Record tf32 = on(record("fast.cu", 4), "loose");
  tf32.required_precision = tf32.candidate().precision = Precision::tf32;
  const Leaderboard made = make_leaderboard({tf32, on(record("fast.cu", 2), "strict")});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[0].problems, 2u) << "fp32 is allowed in both";
  EXPECT_EQ(made.suites[1].problems, 1u);
}

TEST(Suites, ExactProblemsAreAClassOfTheirOwn) {
  Record exact = on(record("fast.cu", 4), "moved");
  exact.required_precision = exact.candidate().precision = Precision::exact;
  const Leaderboard made = make_leaderboard({exact, on(record("fast.cu", 2), "summed")});
  ASSERT_THAT(made.boards, SizeIs(2));
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_EQ(made.suites[0].precision, Precision::exact);
  EXPECT_EQ(made.suites[0].problems, 1u) << "what is summed has no class exact";
  EXPECT_EQ(made.suites[1].precision, Precision::fp32);
  EXPECT_EQ(made.suites[1].problems, 1u) << "what is moved has no class fp32";
}

// Samples of one problem: runs, pass@k, and how they stand on leaderboards.

std::string path_of(int problem, int sample, const std::string& run = "runs/mine", int level = 1) {
  return run + "/level_" + std::to_string(level) + "_problem_" + std::to_string(problem) + "_sample_" +
         std::to_string(sample) + "_kernel.py";
}

Record sampled(int problem, int sample, double speedup, const std::string& run = "runs/mine") {
  Record made = record(path_of(problem, sample, run), speedup);
  made.problem_slug = "p" + std::to_string(problem);
  return made;
}

Record wrong(int problem, int sample) { return refused(sampled(problem, sample, 1), Verdict::wrong_answer); }

TEST(PassAtK, IsTheUnbiasedEstimator) {
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 1), 0.4);
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 2), 0.7) << "1 - C(3, 2) / C(5, 2); not 1 - 0.6 * 0.6";
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 4), 1);
  EXPECT_DOUBLE_EQ(pass_at_k(5, 0, 5), 0);
  EXPECT_DOUBLE_EQ(pass_at_k(1, 1, 1), 1);
  EXPECT_NEAR(pass_at_k(100000, 1, 1000), 0.01, 1e-12);
  EXPECT_THROW(pass_at_k(2, 1, 3), std::invalid_argument);
  EXPECT_THROW(pass_at_k(2, 1, 0), std::invalid_argument);
}

TEST(Samples, TheRunIsTheFolder) {
  EXPECT_EQ(run_of("runs/mine/level_1_problem_23_sample_0_kernel.py", "scale"), "mine");
  EXPECT_EQ(run_of("runs/mine/level_1/problem_23/sample_0.py", "scale"), "mine");
  EXPECT_EQ(run_of("mine_level_1/problem_23_sample_0.py", "scale"), "mine_level_1");
  EXPECT_EQ(run_of("level_1_problem_23_sample_0.py", "scale"), "");
  EXPECT_EQ(run_of("../x.py", "scale"), "");
  EXPECT_EQ(solution_of("runs/mine/level_1_problem_23_sample_4_kernel.py", "scale"), "mine sample 4");
  EXPECT_EQ(solution_of("solutions/scale/fast.cu", "scale"), "fast");
}

TEST(Samples, WordsBeforeTheSampleAreTheRun) {
  EXPECT_EQ(run_of("solutions/softmax/gpt-x-sample-0.cu", "softmax"), "gpt-x");
  EXPECT_EQ(run_of("solutions/softmax/claude-y-sample-0.cu", "softmax"), "claude-y");
  EXPECT_EQ(run_of("solutions/gelu/gpt-x-sample-0.cu", "gelu"), "gpt-x") << "one run over all problems";
  EXPECT_EQ(run_of("softmax/softmax_GPT-X_sample_3.py", "softmax"), "GPT-X");
  EXPECT_EQ(run_of("gpt-x_level_1_problem_23_sample_0.py", "level1-23-softmax"), "gpt-x");
  EXPECT_EQ(run_of("gpt-x-sample-0/softmax.cu", "softmax"), "gpt-x") << "the folder says the sample";
  EXPECT_EQ(run_of("runs/mine/softmax_sample_0.py", "softmax"), "mine") << "that is the problem";
  EXPECT_EQ(run_of("runs/mine/23_Softmax_sample_0.py", "level1-23-softmax"), "mine");
  EXPECT_EQ(run_of("runs/mine/sample_0.py", "softmax"), "mine");
  EXPECT_EQ(solution_of("solutions/softmax/gpt-x-sample-4.cu", "softmax"), "gpt-x sample 4");

  const auto sample = [](const std::string& name, Verdict verdict) {
    Record made = record("solutions/scale/" + name + ".cu", 2);
    return verdict == Verdict::accepted ? made : refused(made, verdict);
  };
  const Leaderboard made = make_leaderboard({sample("gpt-x-sample-0", Verdict::accepted),
                                             sample("gpt-x-sample-1", Verdict::wrong_answer),
                                             sample("claude-y-sample-0", Verdict::accepted)});
  ASSERT_THAT(made.runs, SizeIs(2));
  EXPECT_EQ(made.runs[0].run, "claude-y");
  EXPECT_THAT(made.runs[0].pass_at_k, ElementsAre(Pair(1, 1)));
  EXPECT_EQ(made.runs[1].run, "gpt-x");
  EXPECT_THAT(made.runs[1].pass_at_k, ElementsAre(Pair(1, 0.5), Pair(2, 1)));
}

TEST(Samples, TheProblemsFileSaysMoreThanTheCandidatesName) {
  Record made = record("solutions/softmax/sample_2.cu", 1);
  made.reference.path = "KernelBench/level2/23_Softmax.py";
  EXPECT_EQ(kernelbench_name_of(made), (KernelBenchName{2, 23, 2}));
  made.reference.path = "reference/scale.cu";
  EXPECT_EQ(kernelbench_name_of(made), (KernelBenchName{{}, {}, 2}));
}

TEST(Samples, PassAtKIsAMeanOverProblems) {
  const Leaderboard made = make_leaderboard(
      {sampled(1, 0, 2), wrong(1, 1), wrong(2, 0), wrong(2, 1), wrong(2, 2), sampled(2, 3, 1)});
  ASSERT_THAT(made.runs, SizeIs(1));
  const SampledRun& run = made.runs[0];
  EXPECT_EQ(run.run, "mine");
  EXPECT_EQ(run.level, 1);
  EXPECT_EQ(run.problems, 2u);
  EXPECT_EQ(run.samples, 6u);
  EXPECT_EQ(run.accepted, 2u);
  EXPECT_THAT(run.pass_at_k, ElementsAre(Pair(1, 0.375), Pair(2, 0.75))) << "every problem has two samples";
}

TEST(Samples, OfASampleTheNewestResultCounts) {
  Record mended = sampled(1, 0, 2);
  mended.started_at = "2026-02-02T00:00:00Z";
  const Leaderboard made = make_leaderboard({wrong(1, 0), mended});
  ASSERT_THAT(made.runs, SizeIs(1));
  EXPECT_EQ(made.runs[0].samples, 1u);
  EXPECT_EQ(made.runs[0].accepted, 1u);
}

TEST(Samples, WhatOnlyAGpuCanJudgeIsNoSample) {
  Record unsupported = refused(sampled(1, 0, 1), Verdict::unsupported);
  unsupported.device.kind = "emulated";
  EXPECT_THAT(make_leaderboard({unsupported}).runs, IsEmpty());
  unsupported.candidate().checks = {
      {"compile", CheckOutcome::failed, "CuPy cannot run on the emulated device"}};
  EXPECT_THAT(make_leaderboard({unsupported}).runs, IsEmpty());
}

TEST(Samples, WhatOnlyTheCandidateCallsUnsupportedHasFailed) {
  Record claimed = refused(sampled(1, 0, 1), Verdict::unsupported);
  claimed.device.kind = "emulated";
  claimed.candidate().checks = {
      {"compile", CheckOutcome::passed, ""},
      {"completion", CheckOutcome::failed, "CUDA graphs: not on the emulated device"}};
  const Leaderboard made = make_leaderboard({claimed});
  ASSERT_THAT(made.runs, SizeIs(1));
  EXPECT_THAT(made.runs[0].pass_at_k, ElementsAre(Pair(1, 0)));
}

TEST(Samples, OtherCandidatesAreNoRun) {
  const Leaderboard made = make_leaderboard({record("solutions/scale/fast.cu", 2)});
  EXPECT_THAT(made.runs, IsEmpty());
  EXPECT_FALSE(to_json(made).contains("runs"));
  EXPECT_THAT(render_table(made, Style(false)), Not(HasSubstr("pass@")));
}

TEST(Samples, RunsOutsideTheWorkingFolderKeepTheirNames) {
  const Leaderboard made = make_leaderboard({sampled(1, 0, 2, "/data/a"), sampled(1, 0, 3, "/data/b")});
  ASSERT_THAT(made.runs, SizeIs(2));
  EXPECT_EQ(made.runs[0].run, "a");
  EXPECT_EQ(made.runs[1].run, "b");
  EXPECT_EQ(made.boards[0].rows[0].newest.candidate().path, "b/level_1_problem_1_sample_0_kernel.py");
}

// Fast_p of a sample follows it over problems, though the names of files differ.
TEST(Samples, FastPIsByRunAndSample) {
  const Leaderboard made =
      make_leaderboard({sampled(1, 0, 2), sampled(2, 0, 0.5), sampled(1, 1, 3), wrong(2, 1)});
  ASSERT_THAT(made.suites, SizeIs(1));
  ASSERT_THAT(made.suites[0].rows, SizeIs(2));
  EXPECT_EQ(made.suites[0].rows[0].solution, "mine sample 0");
  EXPECT_EQ(made.suites[0].rows[0].accepted, 2u);
  EXPECT_DOUBLE_EQ(made.suites[0].rows[0].fast_p.at(1), 0.5);
  EXPECT_DOUBLE_EQ(made.suites[0].rows[1].fast_p.at(1), 0.5);
}

TEST(Samples, PassAtKIsInEveryFormOfTheLeaderboard) {
  const Leaderboard made =
      make_leaderboard({sampled(1, 0, 2, "runs/<b>"), wrong(1, 1), sampled(1, 1, 2, "runs/<b>")});
  EXPECT_THAT(render_table(made, Style(false)), HasSubstr("pass@1 100.0 %, pass@2 100.0 %"));
  EXPECT_THAT(render_table(made, Style(false)), HasSubstr("fast_1"));
  EXPECT_THAT(render_page(made), HasSubstr("\"\\u003cb>\""));
  EXPECT_THAT(render_markdown(made), HasSubstr("| mine | 1 | NVIDIA H200 | 1 | 1 | 0 | pass@1 0.0 % |"));
  EXPECT_EQ(to_json(made)["runs"][0]["pass_at_k"]["2"], 1);
}

}  // namespace kgrade::suites_test
