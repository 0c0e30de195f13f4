// The file of a contest, its standings, and what a service does with it.
#include "serve/contest.h"

#include <gmock/gmock.h>

#include "serve/answers_json.h"
#include "serve/boards.h"
#include "tests/serve/service_fixture.h"

namespace kgrade::contest_test {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* contest_file = R"(---
title: Week 3
start: 2026-11-30T10:00:00+01:00
end: 2026-11-30T12:00:00+01:00
feedback: agent
problems:
  - relu
  - {slug: softmax, hide: [test, bench], hidden: 6}
---
Ask **me**.
)";

std::string errors_of_file(const std::string& text) {
  const auto contest = read_contest(text, "c.md");
  return contest ? "" : to_string(contest.errors());
}

TEST(Contest, ReadsItsFile) {
  const auto contest = read_contest(contest_file, "c.md");
  ASSERT_TRUE(contest.ok()) << to_string(contest.errors());
  EXPECT_EQ(contest->title, "Week 3");
  EXPECT_EQ(contest->text, "Ask **me**.");
  EXPECT_EQ(contest->end - contest->start, 7200);
  EXPECT_EQ(iso_time(contest->start), "2026-11-30T09:00:00Z");
  const ContestProblem& softmax = contest->problems.at(1);
  EXPECT_EQ(contest->problems.at(0).feedback, Feedback::agent);
  EXPECT_EQ(softmax.feedback, Feedback::verdict) << "more would name what is hidden";
  EXPECT_EQ(softmax.hidden_cases, 6U);
  CaseSpec one;
  one.role = CaseRole::test;
  EXPECT_TRUE(softmax.hides(one));
  one.role = CaseRole::sample;
  EXPECT_FALSE(softmax.hides(one));
}

TEST(Contest, NamesTheLineOfWhatIsWrong) {
  const std::string good = contest_file;
  const auto with = [&good](const char* before, const char* after) {
    return errors_of_file(replace_all(good, before, after));
  };
  EXPECT_THAT(with("+01:00\nend", "\nend"),
              HasSubstr("c.md:3:8: error: start: '2026-11-30T10:00:00' is no time"));
  EXPECT_THAT(with("T12", "T09"), HasSubstr("c.md:4:6: error: the contest ends before it starts"));
  EXPECT_THAT(with("agent", "full"), HasSubstr("c.md:5:11: error: feedback: 'full'"));
  EXPECT_THAT(with("hidden: 6", "hidden: 6, feedback: agent"), HasSubstr("c.md:8:"));
  EXPECT_THAT(with("hidden: 6", "feedbak: agent"), HasSubstr("did you mean 'feedback'?"));
  EXPECT_THAT(with("hidden: 6", "hidden: 1"), HasSubstr("from 4 to 64"));
  EXPECT_THAT(with("slug: softmax", "slug: relu"), HasSubstr("'relu' is listed twice"));
  EXPECT_THAT(with("title: Week 3\n", ""), HasSubstr("the key title is missing"));
  EXPECT_THAT(errors_of_file("---\ntitle: x\n---\n"), HasSubstr("problems is no list"));
  EXPECT_THAT(errors_of_file("title: x\n"), HasSubstr("no frontmatter"));
}

TEST(Contest, NamesProblemsAndCasesThatThereAreNot) {
  const auto contest = read_contest(replace_all(contest_file, "[test, bench]", "[test, gone]"), "c.md");
  const std::map<std::string, Problem> problems = {
      {"softmax", load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value()}};
  const Failure wrong = check_contest(*contest, problems);
  ASSERT_TRUE(wrong.has_value());
  EXPECT_THAT(to_string(*wrong), HasSubstr("c.md:7:5: error: there is no problem 'relu'"));
  EXPECT_THAT(to_string(*wrong), HasSubstr("softmax has no case and no role 'gone'"));
}

TEST(Contest, TimesNeedAZone) {
  EXPECT_EQ(read_moment("1970-01-02T00:00Z"), 86400);
  EXPECT_EQ(read_moment("1970-01-02T05:30:01+05:30"), 86401);
  for (const char* text : {"1970-01-02T00:00:00", "1970-01-02", "1970-02-30T00:00Z", "1970-01-02T24:00Z", "",
                           "1970-01-02T00:00+1:00", "1970-01-02T00:00Zx", "1970-01-02T00:00+01:00x", "x"})
    EXPECT_EQ(read_moment(text), std::nullopt) << text;
}

TEST(Contest, CellsOfTablesAreNoFormulas) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  for (const char* text : {"+1", "-1", "@triton.jit", " \t=1"})
    EXPECT_THAT(csv_cell(text), HasSubstr("'")) << text;
  EXPECT_EQ(csv_cell("a \"b\", c\n"), "\"a \"\"b\"\", c\n\"");
  EXPECT_EQ(csv_cell("1.5"), "1.5");
}

struct StandingsTest : testing::Test {
  // A half width of 0: no speed.
  void add(const char* owner, const char* slug, double minute, const char* verdict = "accepted",
           double speedup = 0, double half_width = 0, const char* precision = "fp32") {
    GradeJob job;
    job.id = fmt::format("g_{}", added++);
    job.owner = owner;
    job.is_contest = true;
    job.submitted_at = contest.start + 60 * minute;
    nlohmann::json view = {{"outcome", "graded"}, {"problem", slug}, {"verdict", verdict}};
    view["figures"] = {{"precision", precision}};
    view["board"] = nullptr;
    if (half_width > 0)
      view["board"] = {{"name", "H200"},
                       {"speedup", speedup},
                       {"speedup_low", speedup - half_width},
                       {"speedup_high", speedup + half_width}};
    standings.add(job, read_grade(view));
  }

  Standings::View view(const char* reader, bool sees_others = true, bool is_teacher = false) const {
    return {contest, problems, {"ann", "bob", "carol"}, reader, sees_others, is_teacher};
  }

  // "rank owner solved" of each row.
  std::vector<std::string> rows(const Standings::View& seen) const {
    std::vector<std::string> list;
    const ordered_json all = json_of(standings.answer(seen));
    for (const auto& row : all["rows"])
      list.push_back(row["rank"].dump() + " " + row["owner"].get<std::string>() + " " + row["solved"].dump());
    return list;
  }

  Competition contest = read_contest(contest_file, "c.md").value();
  std::map<std::string, Problem> problems = {
      {"softmax", load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value()},
      {"relu", load_problem(KGRADE_SOURCE_DIR "/problems/relu.md").value()}};
  Standings standings;
  int added = 0;
};

TEST_F(StandingsTest, MoreProblemsAreBetterThenSpeedThenTime) {
  add("bob", "relu", 20);
  add("ann", "relu", 10);
  EXPECT_THAT(rows(view("ann")), ElementsAre("1 ann 1", "2 bob 1", "null carol 0"))
      << "without speeds, by time";
  add("bob", "softmax", 90);
  EXPECT_THAT(rows(view("ann")), ElementsAre("1 bob 2", "2 ann 1", "null carol 0"));
}

TEST_F(StandingsTest, EqualRanksMeanThatNoDifferenceIsKnown) {
  add("ann", "relu", 10, "accepted", 2.0, 0.1);
  add("bob", "relu", 20, "accepted", 2.1, 0.1);
  add("carol", "relu", 30, "accepted", 3.0, 0.1);
  EXPECT_THAT(rows(view("ann")), ElementsAre("1 carol 1", "2 bob 1", "2 ann 1"));
  // The fastest counts, whatever came later.
  add("carol", "relu", 40, "accepted", 1.0, 0.1);
  EXPECT_THAT(rows(view("ann")).front(), "1 carol 1");
}

TEST_F(StandingsTest, ALowerClassIsSolvedAndNotFast) {
  add("ann", "relu", 10, "accepted", 9.0, 0.1, "bf16");
  add("bob", "relu", 20, "accepted", 2.0, 0.1);
  const ordered_json all = json_of(standings.answer(view("ann")));
  for (const auto& row : all["rows"]) {
    EXPECT_EQ(row["speedup"].is_null(), row["owner"] != "bob") << row;
  }
}

TEST_F(StandingsTest, CountsWhatWasSentInTime) {
  add("ann", "relu", -1);
  add("ann", "relu", 120);
  add("bob", "relu", 0);
  add("carol", "cumsum", 5);
  EXPECT_THAT(rows(view("ann")), ElementsAre("1 bob 1", "null ann 0", "null carol 0"));
}

TEST_F(StandingsTest, OthersAndTheirJobsAreHidden) {
  add("ann", "relu", 10);
  add("bob", "relu", 20);
  EXPECT_THAT(rows(view("ann", false)), ElementsAre("null ann 1"));
  const ordered_json seen = json_of(standings.answer(view("ann")));
  EXPECT_EQ(seen["rows"][0]["cells"][0]["id"], "g_0");
  EXPECT_TRUE(seen["rows"][1]["cells"][0]["id"].is_null());
  EXPECT_EQ(json_of(standings.answer(view("t", true, true)))["rows"][1]["cells"][0]["id"], "g_1");
}

TEST_F(StandingsTest, TheTableHasTheSourcesThatFit) {
  add("ann", "relu", 10, "wrong_answer");
  add("ann", "relu", 20);
  add("ann", "relu", 30, "wrong_answer");
  const auto source = [](const std::string& id) {
    return std::pair<std::string, std::string>("a.cu", "text of " + id);
  };
  const std::string csv = standings.csv(view("t", true, true), source, 1 << 20);
  EXPECT_THAT(csv, HasSubstr("1,ann,relu,3,accepted,2026-11-30T09:20:00Z,20.0,,,,,g_1,a.cu,text of g_1\r\n"));
  EXPECT_THAT(csv, HasSubstr(",carol,relu,0,,,,,,,,,,\r\n"));
  EXPECT_THAT(standings.csv(view("t", true, true), source, 100), HasSubstr("GET /v1/grades/g_1?view=source"));
}

struct ContestTest : test::ServiceTest {
  ContestTest() {
    contest = read_contest(replace_all(contest_file, "  - relu\n", ""), "c.md").value();
    contest->start = wall_clock() - 60;
    contest->end = wall_clock() + 3600;
  }

  int status(const Client& client, const test::Json& more = test::Json::object()) {
    const auto answer = service->submit(client, "", test::body(more));
    return std::holds_alternative<Refusal>(answer) ? std::get<Refusal>(answer).status : 202;
  }

  Client teacher{.owner = "t", .is_teacher = true};
};

TEST_F(ContestTest, TakesOnlyItsProblemsAndDecidesHowTheyAreGraded) {
  open();
  EXPECT_EQ(status(test::ann, {{"problem", "cumsum"}}), 403);
  EXPECT_EQ(status(test::ann, {{"problem", {{"name", "a.py"}, {"source", "import torch"}}}}), 403);
  EXPECT_EQ(status(test::ann, {{"effort", "ranked"}}), 400);
  EXPECT_EQ(status(test::ann, {{"precision", "bf16"}}), 400);
  EXPECT_EQ(status(teacher, {{"effort", "ranked"}}), 202);
  const GradeJob* const job = service->find("ann", submit(test::ann, test::body({{"feedback", "full"}})));
  EXPECT_TRUE(job->is_contest);
  EXPECT_EQ(job->feedback, Feedback::verdict);
  EXPECT_EQ(job->request.settings.hidden_cases, 6U);
  EXPECT_EQ(job->request.settings.dtype, "float32");
}

TEST_F(ContestTest, IsClosedBeforeItsStartAndAfterItsEnd) {
  contest->start = wall_clock() + 60;
  open();
  EXPECT_EQ(status(test::ann), 403);
  EXPECT_FALSE(service->shows(test::ann, "softmax"));
  EXPECT_TRUE(service->shows(teacher, "softmax"));
  EXPECT_EQ(service->no_problem("softmx", test::ann).detail.find("softmax"), std::string::npos);
  contest->start = wall_clock() - 60;
  contest->end = wall_clock() - 1;
  open();
  EXPECT_EQ(status(test::ann), 403);
  EXPECT_TRUE(service->shows(test::ann, "softmax"));
  EXPECT_EQ(status(teacher), 202);
}

TEST_F(ContestTest, KeepsResultsAndSourcesLongerThanOthers) {
  open_elsewhere();
  const std::string id = submit(test::ann), other = submit(teacher);
  for (const std::string& each : {id, other}) {
    ASSERT_THAT(ask(), ElementsAre(each));
    grade(each, record());
  }
  lane_command = {};
  open();
  const auto later = [this](double seconds) {
    now += seconds;
    tick();  // after a pause, nothing is decided
    tick();
  };
  later(2 * 86400);
  EXPECT_EQ(service->find("t", other), nullptr);
  const GradeJob* const job = service->find("ann", id);
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(service->view_of(*job, View::source)["source"], "text");
  EXPECT_EQ(service->standings(test::ann, {})["rows"][0]["solved"], 1);
  EXPECT_THAT(service->standings_csv(teacher, {"ann"}, 1 << 20), HasSubstr(",a.cu,text\r\n"));
  later(366 * 86400.0);
  EXPECT_EQ(service->find("ann", id), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "state/sources"));
}

TEST_F(ContestTest, OnlyATeacherSeesWhatOthersSend) {
  open();
  const std::string id = submit(test::ann), own = submit(teacher);
  EXPECT_NE(service->find_for(teacher, id), nullptr);
  EXPECT_EQ(service->find_for(test::bob, id), nullptr);
  EXPECT_EQ(service->find_for(test::ann, own), nullptr);
  EXPECT_EQ(service->jobs_of(teacher, "ann", "", 10).size(), 1U);
  EXPECT_THAT(service->jobs_of(test::bob, "ann", "", 10), IsEmpty());
  EXPECT_FALSE(service->cancel("t", id));
  contest.reset();
  open();
  EXPECT_EQ(service->find_for(teacher, id), nullptr) << "a teacher's rights are those of a contest";
}

TEST_F(ContestTest, ListsTheNewestFirst) {
  open();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(submit(test::ann));
  const auto first = service->jobs_of(test::ann, "ann", "", 2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]->id, ids[2]);
  const auto rest = service->jobs_of(test::ann, "ann", first[1]->id, 2);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]->id, ids[0]);
}

}  // namespace kgrade::contest_test
