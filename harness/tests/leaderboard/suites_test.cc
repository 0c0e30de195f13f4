// Scores of a solution over all problems.
#include <gmock/gmock.h>

#include "leaderboard/leaderboard.h"
#include "leaderboard/leaderboard_output.h"
#include "tests/support/sample_results.h"

namespace kgrade::suites_test {

using test::beside_baseline;
using test::record;
using test::refused;
using testing::ElementsAre;
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

}  // namespace kgrade::suites_test
