// What a service accepts as a request, and what it says of others.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/problem.h"
#include "serve/answers_json.h"
#include "serve/boards.h"
#include "serve/events.h"
#include "serve/grade_job.h"
#include "serve/http_server.h"
#include "serve/tokens.h"
#include "serve/uploads.h"

namespace kgrade::request_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Json body() { return {{"problem", "softmax"}, {"candidate", {{"name", "mine.cu"}, {"source", "// text"}}}}; }

Json with(const char* name, const Json& value) {
  Json json = body();
  json[name] = value;
  return json;
}

std::string refusal_of(const Json& json, bool may_seed = false) {
  const auto request = read_request(json, may_seed);
  return request ? "" : request.error().message;
}

TEST(GradeRequest, HasUsualSettings) {
  const auto request = read_request(body(), false);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->slug, "softmax");
  EXPECT_EQ(request->candidate_name, "mine.cu");
  EXPECT_EQ(request->settings.effort, Effort::quick);
  EXPECT_EQ(request->priority, Priority::normal);
  EXPECT_FALSE(request->settings.dtype);
}

TEST(GradeRequest, TakesAProblemFileWithIt) {
  const auto request =
      read_request(with("problem", {{"name", "23_Softmax.py"}, {"source", "import torch"}}), false);
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->slug.empty());
  EXPECT_EQ(request->problem_name, "23_Softmax.py");
}

// A reference in CUDA would run with the rights of the referee's own code.
TEST(GradeRequest, TakesNoProblemFileWithAReferenceInCuda) {
  EXPECT_THAT(refusal_of(with("problem", {{"name", "p.md"}, {"source", "---"}})),
              HasSubstr("does not end in .py"));
}

TEST(GradeRequest, NamesWhatIsWrong) {
  EXPECT_EQ(refusal_of(Json::array()), "the document is array where an object is expected");
  EXPECT_EQ(refusal_of({{"problem", "softmax"}}), "/candidate is missing");
  EXPECT_EQ(refusal_of(with("problem", 7)), "/problem is number where an object is expected");
  EXPECT_EQ(refusal_of(with("efort", "quick")), "the document has an unknown member 'efort'");
  EXPECT_EQ(refusal_of(with("effort", "slow")), "/effort is not one of: quick, default, ranked");
  EXPECT_EQ(refusal_of(with("baselines", "all")), "/baselines is not one of: none, usual, pytorch, compiled");
  EXPECT_EQ(refusal_of(with("run_limit_s", 0)), "/run_limit_s is 0, which is not from 1 to 86400");
  EXPECT_EQ(refusal_of(with("hidden", 1.5)), "/hidden is no whole number");
  EXPECT_EQ(refusal_of(with("group", std::string(300, 'x'))), "/group is longer than 200 bytes");
  EXPECT_EQ(refusal_of(with("cases", Json::array({1}))), "/cases/0 is number where a string is expected");
}

// It is the verdict of the candidate, which the lane gives.
TEST(GradeRequest, TakesACandidateThatIsTooLongAndKeepsNoMoreOfItThanShowsThat) {
  const auto request =
      read_request(with("candidate", {{"name", "a.cu"}, {"source", std::string(3 << 20, 'x')}}), false);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->candidate_source.size(), longest_candidate + 1);
  const Json headers = {{"a.h", std::string(3 << 20, 'x')}};
  EXPECT_THAT(refusal_of(with("candidate", {{"name", "a.cu"}, {"source", ""}, {"headers", headers}})),
              HasSubstr("/candidate/headers is larger than 2.0 MiB"));
}

// Writing or copying a value calls itself for each level, and ended the service with 16 million of them.
TEST(GradeRequest, IsNotNestedDeep) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_EQ(parsed_json(nested(32)).dump(), nested(32));
  EXPECT_TRUE(parsed_json(nested(33)).is_discarded());
  EXPECT_TRUE(parsed_json(nested(1'000'000)).is_discarded());
  EXPECT_TRUE(parsed_json("[" + nested(40) + ", 1]").is_discarded());
  EXPECT_TRUE(parsed_json(std::string(1'000'000, '[')).is_discarded());
  EXPECT_TRUE(parsed_json("{").is_discarded());
}

TEST(GradeRequest, TakesNamesAndNoPaths) {
  for (const char* const name :
       {"../mine.cu", "/etc/passwd", "", ".", "..", "-o.cu", "a b.cu", "\xc3\xa4.cu"}) {
    EXPECT_NE(refusal_of(with("candidate", {{"name", name}, {"source", ""}})), "") << name;
    EXPECT_NE(refusal_of(with("candidate", {{"name", "a.cu"}, {"source", ""}, {"headers", {{name, ""}}}})),
              "")
        << name;
    EXPECT_NE(refusal_of(with("problem", name)), "") << name;
  }
}

TEST(GradeRequest, LeavesSeedsToThoseWhoMayChooseThem) {
  EXPECT_THAT(refusal_of(with("seed", 7)), HasSubstr("scope 'seeds'"));
  EXPECT_THAT(refusal_of(with("hidden_seed", "7")), HasSubstr("scope 'seeds'"));
  EXPECT_EQ(refusal_of(with("seed", "18446744073709551615"), true), "");
  EXPECT_THAT(refusal_of(with("seed", "18446744073709551616"), true), HasSubstr("/seed is no whole number"));
  EXPECT_THAT(refusal_of(with("seed", -1), true), HasSubstr("/seed is no whole number"));
}

TEST(GradeRequest, OnlyEqualConditionsRunTogether) {
  const auto key = [](const Json& json) { return batch_key(*read_request(json, true)); };
  EXPECT_EQ(key(body()), key(with("client_ref", "mine")));
  EXPECT_NE(key(body()), key(with("problem", "cumsum")));
  EXPECT_NE(key(body()), key(with("effort", "ranked")));
  EXPECT_NE(key(body()), key(with("dtype", "float16")));
  EXPECT_NE(key(body()), key(with("seed", 1)));
  EXPECT_NE(key(body()), key(with("cases", {"small"})));
  const auto file = [&](const char* source) {
    return key(with("problem", {{"name", "a.py"}, {"source", source}}));
  };
  EXPECT_NE(file("one"), file("two"));
}

struct TokensTest : testing::Test {
  Result<Tokens> read(const std::string& text,
                      std::filesystem::perms rights = std::filesystem::perms::owner_read) {
    const std::filesystem::path file = folder.path() / "tokens";
    std::filesystem::remove(file);
    std::ofstream(file) << text;
    std::filesystem::permissions(file, rights);
    return Tokens::read(file);
  }

  TemporaryDirectory folder;
};

TEST_F(TokensTest, FindTheOwnerOfAToken) {
  const auto tokens =
      read("# owners\n\nann " + sha256_hex("secret") + "\nbob " + sha256_hex("other") + " seeds\n");
  ASSERT_TRUE(tokens.ok());
  const auto ann = tokens->client_of("Bearer secret");
  ASSERT_TRUE(ann);
  EXPECT_EQ(ann->owner, "ann");
  EXPECT_FALSE(ann->may_seed);
  EXPECT_TRUE(tokens->client_of("Bearer other")->may_seed);
  for (const std::string wrong : {"", "secret", "Bearer", "Bearer ", "Bearer secret2", "bearer secret"})
    EXPECT_FALSE(tokens->client_of(wrong)) << wrong;
}

TEST_F(TokensTest, ExpireAfterTheirLastDay) {
  const auto tokens = read("ann " + sha256_hex("old") + " expires=2001-02-03\nbob " + sha256_hex("new") +
                           " expires=9999-12-31\n");
  ASSERT_TRUE(tokens.ok());
  EXPECT_FALSE(tokens->client_of("Bearer old"));
  EXPECT_TRUE(tokens->client_of("Bearer new"));
  EXPECT_THAT(tokens->refusal_of("Bearer old"),
              HasSubstr("expired: it was valid until 2001-02-04T00:00:00Z"));
  EXPECT_THAT(tokens->refusal_of("Bearer none"), HasSubstr("a token that this service knows"));
  for (const std::string wrong : {"2001-02-30", "2001-2-3", "2001-02-03T", "soon", ""})
    EXPECT_FALSE(read("ann " + sha256_hex("x") + " expires=" + wrong + "\n").ok()) << wrong;
}

TEST_F(TokensTest, AnOwnerHasTheLeastFeedbackOfItsTokens) {
  const auto tokens = read("ann " + sha256_hex("a") + "\nann " + sha256_hex("b") + " feedback=verdict\nbob " +
                           sha256_hex("c") + " feedback=agent\n");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ(tokens->client_of("Bearer a")->feedback, Feedback::verdict);
  EXPECT_EQ(tokens->client_of("Bearer c")->feedback, Feedback::agent);
  EXPECT_FALSE(read("ann " + sha256_hex("a") + " feedback=none\n").ok());
}

TEST_F(TokensTest, AreReadAgainWhenTheFileChanges) {
  auto tokens = read("ann " + sha256_hex("secret") + "\n");
  ASSERT_TRUE(tokens.ok());
  std::vector<std::string> notes;
  const auto look = [&] { tokens->look_at_file([&](const std::string& note) { notes.push_back(note); }); };
  look();
  EXPECT_TRUE(notes.empty());
  (void)read("bob " + sha256_hex("another secret") + "\ncarol " + sha256_hex("third") + "\n");
  look();
  EXPECT_FALSE(tokens->client_of("Bearer secret"));
  EXPECT_TRUE(tokens->client_of("Bearer another secret"));
  // A file that cannot be used changes nothing, above all not to a service without tokens.
  for (const char* const wrong : {"", "bob secret\n"}) {
    (void)read(wrong);
    look();
    EXPECT_TRUE(tokens->client_of("Bearer third")) << wrong;
    EXPECT_FALSE(tokens->client_of("")) << wrong;
  }
  EXPECT_THAT(notes.back(), HasSubstr("so the former ones stay"));
}

TEST_F(TokensTest, AWrongLineIsNamed) {
  const auto tokens = read("ann " + sha256_hex("secret") + "\nbob secret\n");
  ASSERT_FALSE(tokens.ok());
  EXPECT_EQ(tokens.error().location.line, 2);
  EXPECT_FALSE(read("ann " + sha256_hex("secret") + " admin\n").ok());
  EXPECT_FALSE(read("# nobody\n").ok());
}

TEST_F(TokensTest, AFileThatOthersCanReadIsRefused) {
  const auto tokens = read("ann " + sha256_hex("secret") + "\n", std::filesystem::perms(0644));
  ASSERT_FALSE(tokens.ok());
  EXPECT_THAT(tokens.error().message, HasSubstr("others may read"));
}

TEST(ListenAddress, ReadsSocketsAndPorts) {
  EXPECT_EQ(parse_listen_address("unix:/tmp/s")->socket, "/tmp/s");
  EXPECT_EQ(parse_listen_address(":80")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
  EXPECT_TRUE(parse_listen_address("[::1]:80")->is_loopback());
  EXPECT_FALSE(parse_listen_address("0.0.0.0:80")->is_loopback());
  for (const char* const wrong :
       {"", "80", "localhost:80", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:x", "unix:"})
    EXPECT_FALSE(parse_listen_address(wrong).ok()) << wrong;
}

// Problems that owners have uploaded.

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

}  // namespace kgrade::request_test
