// Problems that owners have uploaded.
#include "serve/uploads.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/problem.h"
#include "serve/answers_json.h"
#include "serve/boards.h"
#include "serve/events.h"

namespace kgrade::uploads_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::ElementsAre;
using testing::SizeIs;

struct UploadsTest : testing::Test {
  Uploads open() { return std::move(Uploads::open(folder.path() / "problems").value()); }

  TemporaryDirectory folder;
  std::string source = "import torch\n";
  std::string digest = sha256_hex(source);
};

TEST_F(UploadsTest, AreThereAfterARestart) {
  EXPECT_EQ(open().put("ann", digest, "a.py", source), Uploads::Stored::is_new);
  Uploads uploads = open();
  EXPECT_EQ(uploads.find("ann", digest)["source"], source);
  EXPECT_EQ(uploads.put("ann", digest, "a.py", source), Uploads::Stored::was_there);
  EXPECT_TRUE(uploads.remove("ann", digest));
  EXPECT_FALSE(uploads.remove("ann", digest));
  EXPECT_TRUE(open().find("ann", digest).is_null());
}

TEST_F(UploadsTest, BelongToTheirOwner) {
  Uploads uploads = open();
  uploads.put("ann", digest, "a.py", source);
  for (const char* const other : {"bob", "..", "an", "ann "}) {
    EXPECT_TRUE(uploads.find(other, digest).is_null()) << other;
    EXPECT_TRUE(uploads.list(other).empty()) << other;
    EXPECT_FALSE(uploads.remove(other, digest)) << other;
  }
  EXPECT_EQ(uploads.list("ann").size(), 1);
}

// Names of owners may be "..", and must not lead out of the folder.
TEST_F(UploadsTest, StayInTheirFolder) {
  Uploads uploads = open();
  EXPECT_EQ(uploads.put("..", digest, "a.py", source), Uploads::Stored::is_new);
  std::size_t others = 0;
  for (const auto& each : fs::directory_iterator(folder.path()))
    others += each.path().filename() != "problems";
  EXPECT_EQ(others, 0);
}

TEST_F(UploadsTest, ADamagedFileIsNone) {
  open().put("ann", digest, "a.py", source);
  for (const auto& each : fs::recursive_directory_iterator(folder.path())) {
    if (each.is_regular_file()) std::ofstream(each.path()) << "{";
  }
  EXPECT_TRUE(open().find("ann", digest).is_null());
}

TEST_F(UploadsTest, AreLimitedForEachOwner) {
  Uploads uploads = open();
  const std::string large(Uploads::largest_file, 'x');
  std::size_t stored = 0;
  for (std::size_t i = 0; i <= Uploads::most_bytes / Uploads::largest_file; ++i) {
    const std::string text = std::to_string(100 + i) + large.substr(3);
    const bool fits = uploads.put("ann", sha256_hex(text), "a.py", text) == Uploads::Stored::is_new;
    EXPECT_EQ(fits, i < Uploads::most_bytes / Uploads::largest_file);
    stored += fits;
  }
  EXPECT_EQ(stored, 64);
  EXPECT_EQ(uploads.put("bob", digest, "a.py", source), Uploads::Stored::is_new);
}

TEST_F(UploadsTest, AJobKeepsACopy) {
  Uploads uploads = open();
  uploads.put("ann", digest, "a.py", source);
  Json request = {{"problem", {{"sha256", digest}}}, {"seed", 18446744073709551615U}};
  const auto text = uploads.with_file(request, "ann", "the text");
  ASSERT_TRUE(text);
  EXPECT_EQ(Json::parse(*text),
            Json({{"problem", {{"name", "a.py"}, {"source", source}}}, {"seed", 18446744073709551615U}}));
  Json unknown = {{"problem", {{"sha256", digest}}}};
  EXPECT_FALSE(uploads.with_file(unknown, "bob", ""));
  for (const Json& other : {Json("x"), Json{{"problem", "softmax"}}, Json{{"problem", {{"sha256", "5a"}}}},
                            Json{{"problem", {{"sha256", digest}, {"name", "a.py"}}}}}) {
    Json same = other;
    EXPECT_EQ(uploads.with_file(same, "ann", "the text"), "the text");
  }
}

// When clients that wait for jobs are called.

TEST(Waiters, AreCalledOnceWhenOneOfTheirJobsEnds) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a", "b"}, false, 10, [&] { calls += 1; });
  waiters.ended("c");
  EXPECT_EQ(calls, 0);
  waiters.ended("b");
  waiters.ended("a");
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(waiters.take_late(11).empty());
}

TEST(Waiters, AreCalledWhenAllTheirJobsHaveEnded) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a", "b", "a"}, true, 10, [&] { calls += 1; });
  waiters.ended("a");
  EXPECT_EQ(calls, 0);
  waiters.ended("b");
  EXPECT_EQ(calls, 1);
}

TEST(Waiters, ThatAreLateAreTakenAndNotCalledAgain) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a"}, false, 10, [&] { calls += 1; });
  waiters.add({"a"}, false, 20, [&] { calls += 10; });
  EXPECT_TRUE(waiters.take_late(10).empty());
  EXPECT_EQ(waiters.take_late(11).size(), 1u);
  waiters.ended("a");
  EXPECT_EQ(calls, 10);
}

TEST(Waiters, MayWaitAgainWhenTheyAreCalled) {
  Waiters waiters;
  int calls = 0;
  waiters.add({"a"}, false, 10, [&] { waiters.add({"b"}, false, 10, [&] { calls += 1; }); });
  waiters.ended("a");
  waiters.ended("b");
  EXPECT_EQ(calls, 1);
}

// What a service ranks, and who sees it.

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

}  // namespace kgrade::uploads_test
