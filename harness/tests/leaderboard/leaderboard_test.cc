#include "leaderboard/leaderboard.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "leaderboard/leaderboard_output.h"
#include "tests/support/sample_results.h"

namespace kgrade::leaderboard_test {

using test::beside_baseline;
using test::in_same_blocks;
using test::record;
using test::refused;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Record at(Record made, const std::string& day) {
  made.started_at = day + "T00:00:00Z";
  return made;
}

Record on(Record made, const std::string& slug) {
  made.problem_slug = slug;
  return made;
}

std::vector<std::string> paths_of(const Board& board) {
  std::vector<std::string> paths;
  for (const LeaderboardRow& row : board.rows) paths.push_back(row.newest.candidate().path);
  return paths;
}

std::vector<std::size_t> best_ranks(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> ranks;
  for (const RankRange& range : rank_ranges(intervals)) ranks.push_back(range.best);
  return ranks;
}

TEST(Ranks, CountWhatLiesWhollyAbove) {
  EXPECT_THAT(best_ranks({{3, 4}, {1, 2}, {5, 6}}), ElementsAre(2, 3, 1));
  EXPECT_THAT(best_ranks({}), IsEmpty());
}

TEST(Ranks, IntervalsThatOverlapOrTouchAreShared) {
  EXPECT_THAT(best_ranks({{3, 4}, {3.5, 5}, {1, 2}}), ElementsAre(1, 1, 3));
  EXPECT_THAT(best_ranks({{1, 2}, {2, 3}}), ElementsAre(1, 1));
  EXPECT_THAT(best_ranks({{2, 2}, {2, 2}}), ElementsAre(1, 1));
}

TEST(Ranks, AChainOfOverlapsIsNoGroup) {
  // The first is entirely above the last; the one in between overlaps both.
  EXPECT_THAT(best_ranks({{3, 4}, {2, 3.5}, {1, 2.5}}), ElementsAre(1, 1, 2));
}

TEST(Ranks, TheWorstRankCountsWhatLiesWhollyBelow) {
  const auto ranges = rank_ranges({{3, 4}, {2, 3.5}, {1, 2.5}, {0.1, 0.2}});
  EXPECT_EQ(ranges[0].worst, 2u);
  EXPECT_EQ(ranges[1].worst, 3u);
  EXPECT_EQ(ranges[2].worst, 3u);
  EXPECT_EQ(ranges[3].worst, 4u);
}

// Two files of sets with the same name, of which one was edited and one was copied.
TEST(Leaderboard, DifferentFilesOfOneSlugHaveBoardsOfTheirOwn) {
  const auto of_file = [](const char* candidate, const std::string& path, char digest) {
    Record made = record(candidate, 2);
    made.problem_path = path;
    made.reference = {"cache/scale.py", std::string(64, digest)};
    made.problem_sha256 = made.reference.sha256;
    return made;
  };
  const Record one = of_file("a.py", "a/scale", 'a'), edited = of_file("b.py", "a/scale", 'b');
  EXPECT_EQ(make_leaderboard({one, edited}).boards.size(), 1u);
  EXPECT_EQ(make_leaderboard({one, of_file("c.py", "copy/scale", 'a')}).boards.size(), 1u);
  const Leaderboard made = make_leaderboard({one, edited, of_file("d.py", "other/scale", 'c')});
  ASSERT_EQ(made.boards.size(), 2u);
  EXPECT_EQ(made.boards[0].rows[0].newest.problem_slug, "scale-aaaaaaaa");
  EXPECT_EQ(made.boards[1].rows[0].newest.problem_slug, "scale-cccccccc");
}

TEST(Leaderboard, RanksByProblemTypeDeviceAndClass) {
  Record other_problem = on(record("b.cu", 3), "shift");
  Record other_type = record("c.cu", 4);
  other_type.dtype = Dtype::float16;
  Record other_device = record("d.cu", 5);
  other_device.device.name = "NVIDIA A100";
  Record other_class = record("e.cu", 6);
  other_class.candidate().precision = Precision::tf32;
  const Leaderboard made =
      make_leaderboard({record("a.cu", 2), other_problem, other_type, other_device, other_class});
  ASSERT_THAT(made.boards, SizeIs(5));
  for (const Board& board : made.boards) {
    ASSERT_THAT(board.rows, SizeIs(1));
    EXPECT_EQ(board.rows[0].rank->best, 1u);
    EXPECT_FALSE(board.rows[0].tied);
  }
}

Record of_module(Record made) {
  made.candidate().python.emplace().is_module = true;
  return made;
}

Record of_function(Record made) {
  made.candidate().python.emplace();
  return made;
}

// A module prepares its weights once, a function in each call.
TEST(Leaderboard, ModulesHaveBoardsOfTheirOwn) {
  const Leaderboard made = make_leaderboard({record("a.cu", 2), of_module(record("b.py", 9)),
                                             of_function(record("c.py", 3)), of_module(record("d.py", 8))});
  ASSERT_THAT(made.boards, SizeIs(2));
  const bool modules_first = made.boards[0].modules;
  const Board& modules = made.boards[modules_first ? 0 : 1];
  const Board& others = made.boards[modules_first ? 1 : 0];
  EXPECT_TRUE(modules.modules);
  EXPECT_FALSE(others.modules);
  EXPECT_THAT(paths_of(modules), ElementsAre("b.py", "d.py"));
  EXPECT_THAT(paths_of(others), ElementsAre("c.py", "a.cu"));
  EXPECT_EQ(others.rows[0].rank->best, 1u) << "the modules are faster, and do not count here";
}

// Over all problems too: the same file name may be a module for one problem and none for another.
TEST(Leaderboard, ModulesHaveSuitesOfTheirOwn) {
  const Leaderboard made =
      make_leaderboard({record("x/mine.cu", 2), on(record("y/mine.cu", 2), "shift"),
                        of_module(record("x/mine.py", 9)), on(of_module(record("y/mine.py", 9)), "shift")});
  ASSERT_THAT(made.suites, SizeIs(2));
  EXPECT_NE(made.suites[0].modules, made.suites[1].modules);
  for (const Suite& suite : made.suites) EXPECT_THAT(suite.rows, SizeIs(1));
}

TEST(Leaderboard, TiesAreSaid) {
  const Leaderboard made = make_leaderboard({record("a.cu", 1), record("b.cu", 2), record("c.cu", 2.01)});
  const Board& board = made.boards.at(0);
  EXPECT_THAT(paths_of(board), ElementsAre("c.cu", "b.cu", "a.cu"));
  EXPECT_TRUE(board.rows[0].tied);
  EXPECT_TRUE(board.rows[1].tied);
  EXPECT_EQ(board.rows[2].rank->best, 3u);
  EXPECT_FALSE(board.rows[2].tied);
}

std::vector<std::string> order_of(const std::vector<Record>& records) {
  const auto order = paths_of(make_leaderboard(records).boards.at(0));
  std::vector<Record> reversed(records.rbegin(), records.rend());
  EXPECT_EQ(paths_of(make_leaderboard(reversed).boards.at(0)), order);
  return order;
}

TEST(Leaderboard, OfATieTheOneThatWasFasterInTheSameBlocksComesFirst) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.01), c = record("c.cu", 2.005);
  EXPECT_THAT(order_of({a, b, c}), ElementsAre("b.cu", "c.cu", "a.cu"));
  in_same_blocks(a, b, 1.004);
  EXPECT_THAT(order_of({a, b, c}), ElementsAre("c.cu", "a.cu", "b.cu"));
  const Board board = make_leaderboard({a, b, c}).boards.at(0);
  for (const LeaderboardRow& row : board.rows) {
    EXPECT_EQ(row.rank->best, 1u) << "ranks are by intervals";
    EXPECT_TRUE(row.tied);
  }
}

TEST(Leaderboard, ADifferenceThatMayBeNoneChangesNothing) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.01);
  in_same_blocks(a, b, 1.004, 0.005);
  EXPECT_THAT(order_of({a, b}), ElementsAre("b.cu", "a.cu"));
}

// Overlap is not transitive: b has the second rank, below c, although a and b overlap.
TEST(Leaderboard, RanksGoBeforeTheSameBlocks) {
  Record a = record("a.cu", 2), b = record("b.cu", 1.97), c = record("c.cu", 2.02);
  in_same_blocks(b, a, 1.01);
  EXPECT_THAT(order_of({a, b, c}), ElementsAre("c.cu", "a.cu", "b.cu"));
}

// One after the other: no exchange undoes another one.
TEST(Leaderboard, TheSameBlocksOrderAWholeHeat) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.003), c = record("c.cu", 2.006),
         d = record("d.cu", 2.009);
  in_same_blocks(a, b, 1.004);
  in_same_blocks(a, c, 1.008);
  in_same_blocks(a, d, 1.012);
  in_same_blocks(b, c, 1.004);
  in_same_blocks(b, d, 1.008);
  in_same_blocks(c, d, 1.004);
  EXPECT_THAT(order_of({a, b, c, d}), ElementsAre("a.cu", "b.cu", "c.cu", "d.cu"));
}

// As intervals that miss may have it: the fastest over the reference begins, and the others follow from it.
TEST(Leaderboard, ACircleIsCutAtTheHighestSpeedup) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.003), c = record("c.cu", 2.006);
  in_same_blocks(a, b, 1.004);
  in_same_blocks(b, c, 1.004);
  in_same_blocks(c, a, 1.004);
  EXPECT_THAT(order_of({a, b, c}), ElementsAre("c.cu", "a.cu", "b.cu"));
}

TEST(Leaderboard, OnlyTheSameHeatCounts) {
  Record a = record("a.cu", 2), b = record("b.cu", 2.01);
  in_same_blocks(a, b, 1.004);
  EXPECT_THAT(order_of({at(a, "2026-01-03"), at(b, "2026-01-04")}), ElementsAre("b.cu", "a.cu"));
  EXPECT_THAT(order_of({a, b}), ElementsAre("a.cu", "b.cu"));
  a.candidate().sha256 = std::string(64, 'd');
  EXPECT_THAT(order_of({a, b}), ElementsAre("b.cu", "a.cu"));
}

TEST(Leaderboard, TheBaselineCountsWhereAllHaveOne) {
  // Against the reference the order would be reversed.
  const Leaderboard made =
      make_leaderboard({beside_baseline(record("a.cu", 2), 0.5), beside_baseline(record("b.cu", 1), 0.9)});
  EXPECT_EQ(made.boards.at(0).against, "baseline");
  EXPECT_THAT(made.boards[0].baselines, ElementsAre("cudnn-fp32"));
  EXPECT_THAT(paths_of(made.boards[0]), ElementsAre("b.cu", "a.cu"));
}

TEST(Leaderboard, TheReferenceCountsWhereOneHasNoBaseline) {
  const Leaderboard made = make_leaderboard({beside_baseline(record("a.cu", 2), 0.5), record("b.cu", 1)});
  EXPECT_EQ(made.boards.at(0).against, "reference");
  EXPECT_THAT(paths_of(made.boards[0]), ElementsAre("a.cu", "b.cu"));
}

// A result whose class is below the reference's, as keep_to_class() leaves it.
Record below_the_reference(Record made) {
  CandidateRecord& candidate = made.candidate();
  candidate.precision = Precision::tf32;
  candidate.by_baseline.push_back(candidate.scores.front());
  candidate.scores.erase(candidate.scores.begin());
  return made;
}

TEST(Leaderboard, ASpeedupOverAReferenceOfABetterClassIsNoRank) {
  const Record alone = below_the_reference(record("a.cu", 9));
  const Record beside = below_the_reference(beside_baseline(record("b.cu", 5), 0.8));
  const Leaderboard one = make_leaderboard({beside});
  EXPECT_EQ(one.boards.at(0).against, "baseline");
  EXPECT_TRUE(one.boards[0].rows.at(0).rank);
  const Leaderboard both = make_leaderboard({alone, beside});
  EXPECT_EQ(both.boards.at(0).against, "baseline");
  EXPECT_THAT(paths_of(both.boards[0]), ElementsAre("b.cu", "a.cu"));
  EXPECT_FALSE(both.boards[0].rows.at(1).rank);
  EXPECT_EQ(both.boards[0].rows[1].unranked_because,
            "the reference is of a better class, so the speedup over it does not count");
  for (const Suite& suite : both.suites) EXPECT_NE(suite.against, "reference");
  EXPECT_TRUE(make_leaderboard({alone}).boards.at(0).against.empty());
  EXPECT_TRUE(to_json(both)["boards"][0]["rows"][1]["scores"].empty());
}

TEST(Leaderboard, OfACandidateTheNewestResultCountsAndTheOthersAreItsHistory) {
  const Leaderboard made =
      make_leaderboard({at(record("a.cu", 2), "2026-02-01"), at(record("a.cu", 3), "2026-03-01"),
                        at(record("a.cu", 1), "2026-01-01")});
  const LeaderboardRow& row = made.boards.at(0).rows.at(0);
  EXPECT_EQ(row.newest.started_at, "2026-03-01T00:00:00Z");
  ASSERT_THAT(row.earlier, SizeIs(2));
  EXPECT_EQ(row.earlier[0].started_at, "2026-01-01T00:00:00Z");
  EXPECT_EQ(made.measurements, 3u);
  EXPECT_EQ(made.newest, "2026-03-01T00:00:00Z");
}

TEST(Leaderboard, AnEditedCandidateIsAnotherVersionOfTheSame) {
  Record edited = at(record("a.cu", 3), "2026-03-01");
  edited.candidate().sha256 = std::string(64, 'd');
  const Leaderboard made = make_leaderboard(
      {edited, at(record("a.cu", 2), "2026-01-01"), at(record("a.cu", 4), "2026-02-01"), record("b.cu", 1)});
  const Board& board = made.boards.at(0);
  ASSERT_THAT(paths_of(board), ElementsAre("a.cu", "b.cu"));
  const LeaderboardRow& row = board.rows[0];
  EXPECT_EQ(row.newest.candidate().sha256, edited.candidate().sha256) << "the newest ranks, not the fastest";
  ASSERT_THAT(row.earlier, SizeIs(2));
  EXPECT_FALSE(row.earlier[0].is_new_version);
  EXPECT_FALSE(row.earlier[1].is_new_version);
  EXPECT_TRUE(row.newest.is_new_version);
  EXPECT_EQ(row.id, make_leaderboard({record("a.cu", 2)}).boards.at(0).rows.at(0).id) << "links stay";
  const nlohmann::json json = to_json(made)["boards"][0]["rows"][0];
  EXPECT_EQ(json["new_version"], true);
  EXPECT_EQ(json["earlier"][1]["new_version"], false);
  EXPECT_EQ(json["earlier"][1]["sha256"], std::string(64, 'c'));
}

TEST(Leaderboard, ACandidateThatFailsNowHasNoRank) {
  const Leaderboard made =
      make_leaderboard({at(record("a.cu", 2), "2026-01-01"),
                        at(refused(record("a.cu", 2), Verdict::wrong_answer), "2026-02-01")});
  EXPECT_THAT(made.boards, IsEmpty());
  ASSERT_THAT(made.unmeasured, SizeIs(1));
  EXPECT_THAT(made.unmeasured[0].earlier, SizeIs(1));
}

TEST(Leaderboard, TheSamePathWrittenInAnotherWayIsTheSame) {
  const Leaderboard made = make_leaderboard({record("./x//a.cu", 2), at(record("x/a.cu", 3), "2026-03-01"),
                                             at(record("x/y/../a.cu", 1), "2026-04-01")});
  ASSERT_THAT(made.boards.at(0).rows, SizeIs(1));
  EXPECT_EQ(made.boards[0].rows[0].newest.candidate().path, "x/a.cu");
}

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
  std::vector<Record> records;
  for (const std::string& path : paths) records.push_back(record(path, 1));
  name_candidates(records);
  std::vector<std::string> names;
  for (const Record& record : records) names.push_back(record.candidate().path);
  return names;
}

TEST(LeaderboardNames, DoNotTellWhereTheMachineKeepsItsFiles) {
  EXPECT_THAT(names_of({"/srv/me/solutions/scale/a.cu", "/tmp/x1/scale/b.cu", "/tmp/c.cu",
                        "../k/scale/sub/d.cu", "solutions/scale/e.cu", "/scale/scale/f.cu", "/"}),
              ElementsAre("solutions/scale/a.cu", "scale/b.cu", "scale/c.cu", "scale/sub/d.cu",
                          "solutions/scale/e.cu", "scale/f.cu", "/"));
}

TEST(LeaderboardNames, AreThoseOfNeighboursToo) {
  Record a = record("/srv/me/solutions/scale/a.cu", 2), b = record("/srv/me/solutions/scale/b.cu", 2.01);
  in_same_blocks(a, b, 1.004);
  EXPECT_THAT(order_of({a, b}), ElementsAre("solutions/scale/a.cu", "solutions/scale/b.cu"));
  std::vector<Record> records = {a};
  name_candidates(records);
  EXPECT_EQ(records[0].candidate().neighbours[0].path, "solutions/scale/b.cu");
}

TEST(LeaderboardNames, ThatWouldBeTheSameInOneSweepTellMore) {
  EXPECT_THAT(names_of({"/data/run1/scale/a.cu", "/data/run2/scale/a.cu", "/data/run1/scale/b.cu"}),
              ElementsAre("scale/run1/scale/a.cu", "scale/run2/scale/a.cu", "scale/b.cu"));
}

TEST(Leaderboard, ACandidateIsTheSameOnEveryMachine) {
  Record there = at(record("/srv/checkout/solutions/scale/a.cu", 3), "2026-05-01");
  there.read_from.file = "there.jsonl";
  const Leaderboard made = make_leaderboard({record("solutions/scale/a.cu", 2), there});
  EXPECT_THAT(paths_of(made.boards.at(0)), ElementsAre("solutions/scale/a.cu"));
}

TEST(Leaderboard, TheEmulatedDeviceIsOneOnAnyNumberOfCores) {
  Record two = record("a.cu", 2);
  two.device.name = "emulated device on 2 CPU cores";
  two.device.kind = "emulated";
  two.device.measures_speed = false;
  Record four = at(two, "2026-05-01");
  four.device.name = "emulated device on 4 CPU cores";
  const Leaderboard made = make_leaderboard({two, four});
  ASSERT_THAT(made.unmeasured, SizeIs(1));
  EXPECT_EQ(made.unmeasured[0].newest.device.name, four.device.name);
}

TEST(Leaderboard, AResultReadTwiceIsOne) {
  Record copy = record("a.cu", 2);
  copy.read_from.file = "copy.json";
  const Leaderboard made = make_leaderboard({record("a.cu", 2), copy});
  EXPECT_EQ(made.measurements, 1u);
  EXPECT_THAT(made.boards.at(0).rows.at(0).earlier, IsEmpty());
}

TEST(Leaderboard, TimesThatAreNoSpeedAreNeverRanked) {
  Record emulated = record("a.cu", 2);
  emulated.device.name = "emulated";
  emulated.device.measures_speed = false;
  const Leaderboard made = make_leaderboard({emulated});
  EXPECT_THAT(made.boards, IsEmpty());
  EXPECT_THAT(made.suites, IsEmpty());
  ASSERT_THAT(made.unmeasured, SizeIs(1));
  EXPECT_EQ(made.unmeasured[0].newest.candidate().verdict, Verdict::accepted);
}

TEST(Leaderboard, OnlyTheSameWorkIsCompared) {
  Record one_case_less = at(record("b.cu", 9), "2026-03-01");
  Record two_cases = record("a.cu", 2);
  two_cases.candidate().cases.push_back(two_cases.candidate().cases[0]);
  two_cases.candidate().cases[1].name = "larger";
  Record other_size = two_cases;
  other_size.candidate().path = "c.cu";
  other_size.started_at = "2026-01-01T00:00:00Z";
  other_size.candidate().cases[1].tensor_bytes += 1;
  Record warm = two_cases;
  warm.candidate().path = "d.cu";
  warm.candidate().cases[0].measurement->cache = CacheState::warm;
  const Leaderboard made = make_leaderboard({one_case_less, two_cases, other_size, warm});
  const Board& board = made.boards.at(0);
  EXPECT_THAT(paths_of(board), ElementsAre("a.cu", "b.cu", "c.cu", "d.cu"));
  EXPECT_THAT(board.cases, SizeIs(2));
  EXPECT_TRUE(board.rows[0].rank);
  EXPECT_EQ(board.rows[1].unranked_because, "measured on other cases than the board's");
  EXPECT_EQ(board.rows[2].unranked_because, "measured on other cases than the board's");
  EXPECT_EQ(board.rows[3].unranked_because, "measured with a warm cache");
}

TEST(Leaderboard, SpeedupsAgainstDifferentReferencesAreNotCompared) {
  Record newer = at(record("a.cu", 2), "2026-02-01");
  newer.reference.sha256 = std::string(64, 'e');
  const Leaderboard made = make_leaderboard({newer, record("b.cu", 3)});
  EXPECT_TRUE(made.boards.at(0).rows[0].rank);
  EXPECT_EQ(made.boards[0].rows[1].unranked_because, "measured against another version of the reference");
  const Leaderboard with_baselines =
      make_leaderboard({beside_baseline(newer, 1), beside_baseline(record("b.cu", 3), 2)});
  EXPECT_TRUE(with_baselines.boards.at(0).rows[1].rank) << "against a baseline the reference does not count";
}

TEST(Leaderboard, WithoutAnIntervalThereIsNoRank) {
  Record unsure = record("a.cu", 2);
  unsure.candidate().scores[0].speedup.interval.reset();
  Record unmeasured = record("b.cu", 2);
  unmeasured.candidate().scores.clear();
  unmeasured.candidate().cases.clear();
  const Leaderboard made = make_leaderboard({unsure, unmeasured});
  EXPECT_EQ(made.boards.at(0).rows[0].unranked_because, "its speedup has no interval: too few samples");
  EXPECT_EQ(made.boards[0].rows[1].unranked_because, "no speed was measured");
  EXPECT_EQ(made.boards[0].against, "");
}

TEST(Leaderboard, DoesNotDependOnTheOrderOfItsEntries) {
  std::vector<Record> records = {
      at(record("a.cu", 2), "2026-02-01"), record("b.cu", 2), on(record("c.cu", 1), "shift"),
      refused(record("d.cu", 1), Verdict::cheating), at(record("a.cu", 1), "2026-01-01")};
  const std::string text = to_text(make_leaderboard(records));
  std::reverse(records.begin(), records.end());
  EXPECT_EQ(to_text(make_leaderboard(records)), text);
}

}  // namespace kgrade::leaderboard_test
