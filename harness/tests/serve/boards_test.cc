// What a service ranks, and who sees it.
#include "serve/boards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "problem/problem.h"
#include "serve/answers_json.h"

namespace kgrade::boards_test {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::SizeIs;

struct BoardsTest : testing::Test {
  // A half width of 0 is a result without an interval.
  void add(const char* id, const char* owner, const char* candidate, double speedup, double half_width,
           const char* board = "H200, float32, fp32", const char* sha256 = "5a") {
    GradeJob job;
    job.id = id;
    job.owner = owner;
    job.submitted_at = 1e9 + added++;
    answers::Grade view;
    view.problem = "softmax";
    view.candidate = candidate;
    view.problem_sha256 = sha256;
    view.board = answers::GradeBoard{board, {}};
    if (speedup > 0) view.board->speedup.speedup = speedup;
    if (half_width > 0) view.board->speedup = {speedup, speedup - half_width, speedup + half_width};
    boards.add(job, view);
  }

  // "owner rank candidate" of each entry of the first board.
  std::vector<std::string> seen_by(const char* owner, bool shows_others) {
    std::vector<std::string> rows;
    const Json all = json_of(boards.of("softmax", problem(), owner, shows_others));
    for (const Json& entry : all["boards"].empty() ? Json::array() : all["boards"][0]["entries"]) {
      rows.push_back(entry["owner"].get<std::string>() + " " + entry["rank"].dump() + " " +
                     (entry["candidate"].is_null() ? "-" : entry["candidate"].get<std::string>()));
    }
    return rows;
  }

  static Problem problem() {
    Problem softmax;
    softmax.content_sha256 = "5a";
    return softmax;
  }

  Boards boards;
  int added = 0;
};

TEST_F(BoardsTest, TheBestOfEachNameCounts) {
  add("g_1", "ann", "a.cu", 1.5, 0.01);
  add("g_2", "ann", "a.cu", 1.8, 0.01);
  add("g_3", "ann", "a.cu", 1.6, 0.01);
  add("g_4", "ann", "b.cu", 1.7, 0.01);
  EXPECT_THAT(seen_by("ann", false), ElementsAre("ann 1 a.cu", "ann 2 b.cu"));
  boards.forget("g_2");
  EXPECT_THAT(seen_by("ann", false), ElementsAre("ann 1 b.cu", "ann 2 a.cu"));
}

TEST_F(BoardsTest, OverlappingIntervalsShareARank) {
  add("g_1", "ann", "a.cu", 2.0, 0.1);
  add("g_2", "ann", "b.cu", 1.9, 0.1);
  add("g_3", "ann", "c.cu", 1.0, 0.1);
  add("g_4", "ann", "d.cu", 3.0, 0);  // nobody knows how sure this is
  EXPECT_THAT(seen_by("ann", false), ElementsAre("ann 1 a.cu", "ann 1 b.cu", "ann 3 c.cu", "ann null d.cu"));
}

TEST_F(BoardsTest, WithoutSpeedTheFirstComesFirst) {
  add("g_1", "ann", "b.cu", 0, 0);
  add("g_2", "ann", "a.cu", 0, 0);
  EXPECT_THAT(seen_by("ann", false), ElementsAre("ann null b.cu", "ann null a.cu"));
}

TEST_F(BoardsTest, OwnersDoNotSeeEachOther) {
  add("g_1", "ann", "a.cu", 2.0, 0.1);
  EXPECT_THAT(json_of(boards.of("softmax", problem(), "bob", false))["boards"], SizeIs(0));
}

TEST_F(BoardsTest, OfOthersOnlyTheBestSpeedIsShown) {
  add("g_1", "ann", "secret.cu", 2.0, 0.1);
  add("g_2", "ann", "hidden.cu", 1.0, 0.1);
  add("g_3", "bob", "b.cu", 1.5, 0.1);
  EXPECT_THAT(seen_by("bob", true), ElementsAre("ann 1 -", "bob 2 b.cu"));
  const std::string text = json_of(boards.of("softmax", problem(), "bob", true)).dump();
  for (const char* const unseen : {"secret", "hidden", "g_1", "g_2", "2001-09-09T01:46:40"})
    EXPECT_EQ(text.find(unseen), std::string::npos) << unseen;
}

TEST_F(BoardsTest, OnlyWhatIsComparableIsRankedTogether) {
  add("g_1", "ann", "a.cu", 2.0, 0.1, "H200, float32, fp32");
  add("g_2", "ann", "a.cu", 3.0, 0.1, "H200, float32, tf32");
  add("g_3", "ann", "b.cu", 9.0, 0.1, "H200, float32, fp32", "another version of the problem");
  EXPECT_THAT(json_of(boards.of("softmax", problem(), "ann", false))["boards"], SizeIs(2));
  EXPECT_THAT(seen_by("ann", false), ElementsAre("ann 1 a.cu"));
}

TEST_F(BoardsTest, ResultsWithoutABoardAreOnNone) {
  GradeJob job;
  job.owner = "ann";
  boards.add(job, read_grade({{"problem", "softmax"}, {"board", nullptr}}));
  boards.add(job, read_grade({{"problem", "softmax"}}));  // of an earlier version of the service
  EXPECT_THAT(json_of(boards.of("softmax", problem(), "ann", true))["boards"], SizeIs(0));
}

}  // namespace kgrade::boards_test
