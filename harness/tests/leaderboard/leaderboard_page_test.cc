#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "leaderboard/leaderboard_output.h"
#include "leaderboard/page.h"
#include "tests/support/sample_results.h"

namespace kgrade::leaderboard_page_test {

using test::beside_baseline;
using test::record;
using test::refused;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* hostile = "<script>alert(1)</script>|{{data}}\"'&\x1b[31m";

Leaderboard hostile_leaderboard() {
  Record made = record(std::string("solutions/") + hostile + ".cu", 2);
  made.problem_title = hostile;
  made.device.name = hostile;
  made.read_from.file = hostile;
  Record wrong = refused(made, Verdict::wrong_answer);
  wrong.candidate().path = "wrong.cu";
  wrong.candidate().message = hostile;
  return make_leaderboard({made, wrong});
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

TEST(LeaderboardPage, TextsOfCandidatesAreNoMarkup) {
  const std::string page = render_page(hostile_leaderboard());
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(count(page, "<script"), 2u) << "the data and the page's own";
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_EQ(count(page, "\x1b"), 0u);
}

TEST(LeaderboardPage, ItsDataHaveTheTextsAsTheyWere) {
  const auto data = page_data(hostile_leaderboard(), {});
  EXPECT_EQ(data["devices"][0]["name"], hostile);
  EXPECT_EQ(data["problems"][0]["title"], hostile);
  EXPECT_EQ(data["unmeasured"][0]["candidate"], "wrong.cu");
  EXPECT_EQ(data["unmeasured"][0]["message"], hostile);
  EXPECT_EQ(nlohmann::json::parse(data_of(render_page(hostile_leaderboard()))), nlohmann::json(packed(data)));
}

TEST(LeaderboardPage, ItsDataAreATenthOfTheJson) {
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i) {
    records.push_back(beside_baseline(record("solutions/scale/a.cu", 2 + i % 7), 1.5));
    records.back().started_at = fmt::format("2026-01-{:02}T00:{:02}:00Z", 1 + i / 60, i % 60);
  }
  const Leaderboard made = make_leaderboard(records);
  const auto data = page_data(made, {});
  EXPECT_LT(10 * packed(data).dump().size(), to_json(made).dump().size());
  const nlohmann::json row = data["boards"][0]["rows"][0];
  EXPECT_EQ(row["earlier"].size(), 50u) << "the newest";
  EXPECT_EQ(row["earlier"].back(), nlohmann::json({{"measured_at", "2026-01-05T00:58:00Z"},
                                                   {"speedup", 1.5},
                                                   {"verdict", "accepted"},
                                                   {"new_version", false}}));
}

TEST(LeaderboardPage, AnEarlierResultOfAnotherClassHasNoSpeed) {
  Record other = record("a.cu", 2);
  other.started_at = "2025-01-01T00:00:00Z";
  other.candidate().precision = Precision::tf32;
  const auto data = page_data(make_leaderboard({other, record("a.cu", 3)}), {});
  EXPECT_EQ(data["boards"][0]["rows"][0]["earlier"][0]["speedup"], 0);
}

TEST(LeaderboardPage, PackedDataNameShapesAndTextsOnce) {
  const nlohmann::ordered_json json = {{"a", {{{"b", "x"}, {"c", 1.23456789}}, {{"b", "y"}, {"c", nullptr}}}},
                                       {"d", {"y", "x", 7, true}}};
  EXPECT_EQ(nlohmann::json(packed(json)), nlohmann::json::parse(R"({"shapes": [["b", "c"], ["a", "d"]],
                                      "value": [2, [0, [1, "x", 1.23457], [1, "y", null]], [0, -2, -1, 7, true]]})"));
}

TEST(LeaderboardPage, LinksToStatementsAndCandidatesThatItMayLinkTo) {
  PageContext context;
  context.catalogue = {{"scale", "Scale", "pointwise", "Ada", {"map"}, "problems/scale.md"}};
  const Leaderboard made = make_leaderboard({record("a.cu", 2), record("elsewhere/b.cu", 1)});
  EXPECT_EQ(page_data(made, context)["problems"][0]["statement"], "") << "there is no place to link to";
  context.links = "https://example.org/kernels";
  context.is_linked = [](const std::string& path) { return path == "a.cu"; };
  const auto data = page_data(made, context);
  EXPECT_EQ(nlohmann::json(data["problems"][0]), nlohmann::json({{"slug", "scale"},
                                                                 {"title", "Scale"},
                                                                 {"family", "pointwise"},
                                                                 {"author", "Ada"},
                                                                 {"tags", {"map"}},
                                                                 {"statement", "problems/scale.md"}}));
  EXPECT_EQ(data["boards"][0]["rows"][0]["linked"], true);
  EXPECT_EQ(data["boards"][0]["rows"][1]["linked"], false);
}

Record quick(const std::string& path) {
  Record made = record(path, 25.7);
  made.effort = Effort::quick;
  made.candidate().scores[0].speedup.interval.reset();
  return made;
}

std::vector<std::string> texts_of(const std::vector<LeaderboardNote>& notes) {
  std::vector<std::string> texts;
  for (const LeaderboardNote& note : notes) texts.push_back(note.text);
  return texts;
}

TEST(LeaderboardNotes, SayWhyThereAreNoRanks) {
  const Leaderboard made =
      make_leaderboard({quick("a.cu"), quick("b.cu"), beside_baseline(record("c.cu", 2), 1.5)});
  EXPECT_EQ(texts_of(notes_of(made)),
            std::vector<std::string>{
                "2 of 3 results here are --quick: no interval, no rank. Grade without --quick for ranks."});
  EXPECT_THAT(render_page(made), HasSubstr("<li>2 of 3 results here are --quick: no interval, no rank."));
  EXPECT_EQ(made.boards[0].rows[1].unranked_because, "--quick gives no interval");
}

TEST(LeaderboardNotes, SayThatNothingWasComparedWithALibrary) {
  Record other = beside_baseline(record("b.cu", 2), 1.5);
  other.problem_slug = "other";
  EXPECT_THAT(texts_of(notes_of(make_leaderboard({record("naive.cu", 25.7)}))),
              ElementsAre(HasSubstr("Nothing here was compared with a library: no baseline was measured.")));
  EXPECT_THAT(texts_of(notes_of(make_leaderboard({record("naive.cu", 25.7), other}))),
              ElementsAre(HasSubstr("1 of 2 problems was compared with a library.")));
  EXPECT_THAT(notes_of(make_leaderboard({other})), IsEmpty());
  Record pytorch = record("a.py", 2);
  pytorch.reference.path = "level1/23_Softmax.py";
  EXPECT_THAT(notes_of(make_leaderboard({pytorch})), IsEmpty()) << "the reference is a library";
}

TEST(LeaderboardNotes, NameTheProblemsWithoutAResultOnEachGpu) {
  Record other = beside_baseline(record("b.cu", 2), 1.5);
  other.problem_slug = "other";
  other.device.name = "NVIDIA B";
  const auto notes =
      notes_of(make_leaderboard({beside_baseline(record("a.cu", 2), 1.5), other}), {"scale", "third"});
  EXPECT_EQ(texts_of(notes), (std::vector<std::string>{"2 of 3 problems have no result on NVIDIA B",
                                                       "2 of 3 problems have no result on NVIDIA H200"}));
  EXPECT_EQ(notes[0].names, (std::vector<std::string>{"scale", "third"}));
}

TEST(LeaderboardPage, AsksForNothingFromElsewhere) {
  const std::string page = render_page(make_leaderboard({record("a.cu", 2)}));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  for (const char* what : {"src=", "@import", "url(", "http-equiv=\"refresh\""})
    EXPECT_THAT(page, Not(HasSubstr(what)));
  EXPECT_EQ(count(page, "://"), 1u) << "the name of the SVG namespace";
}

TEST(LeaderboardPage, CanBeReadWithoutScripts) {
  const std::string page = render_page(make_leaderboard(
      {beside_baseline(record("a.cu", 2), 1.5), refused(record("b.cu", 1), Verdict::compile_error)}));
  EXPECT_THAT(page, HasSubstr("<td>a</td><td class=\"number\">1.50x (1.49x to 1.52x)</td>"));
  EXPECT_THAT(page, HasSubstr("1 of 2 candidates."));
}

TEST(LeaderboardPage, WithoutScriptsABoardWithoutRanksHasItsFirstCandidate) {
  Record quick = record("a.cu", 2);
  quick.candidate().scores[0].speedup.interval.reset();
  const std::string page = render_page(make_leaderboard({quick}));
  EXPECT_THAT(page,
              HasSubstr("<td>a (no rank)</td><td class=\"number\">2.00x</td><td>against the reference</td>"));
  EXPECT_THAT(render_markdown(make_leaderboard({quick})), HasSubstr("No candidate has a rank yet."));
}

TEST(LeaderboardPage, ElementTypesAreNoProblemsOfTheirOwn) {
  Record half = record("half.cu", 2);
  half.dtype = Dtype::float16;
  const std::string page = render_page(make_leaderboard({record("a.cu", 2), half}));
  EXPECT_THAT(page, HasSubstr("<span>2 candidates</span> <span>1 problem</span>"));
  EXPECT_THAT(page, HasSubstr("<td>scale (float16)</td>"));
}

Record emulated(const std::string& path, Verdict verdict) {
  Record made = record(path, std::vector<CaseRecord>{});
  made.candidate().verdict = verdict;
  made.device = {};
  made.device.kind = "emulated";
  made.device.name = "emulated device on 2 CPU cores";
  return made;
}

TEST(LeaderboardPage, WithoutAnySpeedThePlainTableHasVerdicts) {
  const Record right = emulated("a.cu", Verdict::accepted), wrong = emulated("b.cu", Verdict::wrong_answer);
  const Leaderboard made = make_leaderboard({right, wrong});
  EXPECT_THAT(render_page(made),
              HasSubstr("<td>b</td><td>emulated device on 2 CPU cores</td><td>wrong_answer</td>"));
  EXPECT_THAT(render_page(make_leaderboard({wrong, record("c.cu", 2)})),
              Not(HasSubstr("<td>wrong_answer</td>")));
  EXPECT_EQ(render_table(made, Style(false)),
            "verdict       problem  candidate  device\n"
            "accepted      scale    a.cu       emulated device on 2 CPU cores\n"
            "wrong_answer  scale    b.cu       emulated device on 2 CPU cores\n");
  EXPECT_EQ(render_markdown(made),
            "<!-- leaderboard -->\nNo candidate has a rank yet.\n\n"
            "| problem | candidate | device | verdict |\n| --- | --- | --- | --- |\n"
            "| scale | a | emulated device on 2 CPU cores | accepted |\n"
            "| scale | b | emulated device on 2 CPU cores | wrong\\_answer |\n<!-- /leaderboard -->\n");
}

TEST(LeaderboardPage, AcceptedOnesComeBeforeFailedOnes) {
  const Record wrong = emulated("a.cu", Verdict::compile_error), right = emulated("b.cu", Verdict::accepted);
  Record other = emulated("a.cu", Verdict::compile_error);
  other.problem_slug = "add";
  const Leaderboard made = make_leaderboard({wrong, right, other});
  EXPECT_EQ(render_table(made, Style(false)),
            "verdict        problem  candidate  device\n"
            "compile_error  add      a.cu       emulated device on 2 CPU cores\n"
            "accepted       scale    b.cu       emulated device on 2 CPU cores\n"
            "compile_error  scale    a.cu       emulated device on 2 CPU cores\n");
}

TEST(LeaderboardNotes, NameTheEmulatedDeviceWithAnArticle) {
  const Leaderboard made = make_leaderboard({emulated("a.cu", Verdict::accepted)});
  EXPECT_THAT(texts_of(notes_of(made, {"scale", "add"})),
              Contains("1 of 2 problems has no result on the emulated device on 2 CPU cores"));
}

TEST(LeaderboardPage, ASumOverCasesIsCalledATotal) {
  const Leaderboard made = make_leaderboard(
      {record("a.cu", {test::measured("one", 2, {1.9, 2.1}), test::measured("two", 2, {1.9, 2.1})})});
  EXPECT_THAT(render_page(made), HasSubstr(">Total median</button>"));
  EXPECT_THAT(render_page(made), HasSubstr("<td class=\"number\">2.00 ms</td>"));
  EXPECT_THAT(render_table(made, Style(false)), HasSubstr("total median"));
  EXPECT_THAT(render_markdown(make_leaderboard({record("a.cu", 2)})), HasSubstr("| total median |"));
}

TEST(LeaderboardPage, OfManyCandidatesTheLeadersStandInIt) {
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i) {
    records.push_back(record("candidate-" + std::to_string(i) + ".cu", std::pow(1.05, i)));
    records.back().problem_slug = i % 2 == 0 ? "even" : "odd";
  }
  const std::string page = render_page(make_leaderboard(records));
  EXPECT_EQ(count(page, "<td>candidate-"), 2u);
  EXPECT_THAT(page, HasSubstr("<td>candidate-299</td>"));
  EXPECT_THAT(page, HasSubstr("2 of 300 candidates"));
}

TEST(LeaderboardPage, IsTheSameForTheSameEntries) {
  EXPECT_EQ(render_page(hostile_leaderboard()), render_page(hostile_leaderboard()));
}

TEST(LeaderboardAgainst, KnowsTheBaselinesOfOlderRecords) {
  // They name baselines in their cases alone.
  Leaderboard made = make_leaderboard({beside_baseline(record("a.cu", 2), 1.5)});
  ASSERT_TRUE(keep_suites_against(made, "cudnn-fp32").ok());
  ASSERT_EQ(made.suites.size(), 1u);
  EXPECT_DOUBLE_EQ(made.suites[0].rows.at(0).score.geometric_mean, 1.5);
}

TEST(PageParts, ATextIsFilledInOnce) {
  EXPECT_EQ(fill("<{{a}}|{{b}}>", {{"a", "{{b}}"}, {"b", "x"}}), "<{{b}}|x>");
  EXPECT_THROW(fill("{{c}}", {{"a", ""}}), std::logic_error);
}

TEST(PageParts, PoliciesNameScriptsByTheirHash) {
  // RFC 4634's "abc", in base64.
  EXPECT_EQ(policy_source("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST(LeaderboardMarkdown, ShowsTheLeadersAndEscapesTheirNames) {
  Record odd = record("a|b*c.cu", 2);
  const std::string text = render_markdown(make_leaderboard({odd, record("slow.cu", 1)}));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| scale | NVIDIA H200 | fp32 | a\\|b\\*c | 2.00x (1.98x to 2.02x) | against the reference |"));
  EXPECT_THAT(text, Not(HasSubstr("slow")));
  EXPECT_THAT(render_markdown(hostile_leaderboard()), Not(HasSubstr("<script")));
}

TEST(LeaderboardJson, HistoryMarksNewVersionsAndSaysTheClasses) {
  const auto version = [](char hash, const char* started_at, Precision precision) {
    Record made = record("a.cu", 2);
    made.candidate().sha256 = std::string(64, hash);
    made.started_at = started_at;
    made.candidate().precision = precision;
    return made;
  };
  const auto written = to_json(make_leaderboard({version('d', "2026-01-01T00:00:00Z", Precision::tf32),
                                                 version('e', "2026-01-02T00:00:00Z", Precision::fp32),
                                                 version('f', "2026-01-03T00:00:00Z", Precision::fp32),
                                                 version('f', "2026-01-04T00:00:00Z", Precision::fp32)}));
  const auto& row = written["boards"][0]["rows"][0];
  ASSERT_EQ(row["earlier"].size(), 3u);
  EXPECT_EQ(row["earlier"][0]["precision"], "tf32");
  EXPECT_EQ(row["earlier"][0]["new_version"], false);
  EXPECT_EQ(row["earlier"][1]["new_version"], true);
  EXPECT_EQ(row["earlier"][1]["scores"][0]["speedup"], 2);
  EXPECT_EQ(row["earlier"][2]["new_version"], true);
  EXPECT_EQ(row["new_version"], false) << "the newest result is of the same file";
}

TEST(LeaderboardMarkdown, SaysWhenNothingIsRanked) {
  EXPECT_THAT(render_markdown(make_leaderboard({refused(record("a.cu", 1), Verdict::unstable)})),
              HasSubstr("No candidate has a rank yet."));
}

TEST(LeaderboardTable, ShowsRanksTiesAndWhatHasNone) {
  const std::string text = render_table(make_leaderboard({record("a.cu", 2), record("b.cu", 2.001),
                                                          refused(record("c.cu", 1), Verdict::cheating)}),
                                        Style(false));
  EXPECT_THAT(text, HasSubstr("scale  NVIDIA H200  fp32  against the reference\n"));
  EXPECT_THAT(text, HasSubstr("1=  b.cu"));
  EXPECT_THAT(text, HasSubstr("cheating  scale    c.cu"));
}

TEST(LeaderboardJson, HasRanksScoresAndHistory) {
  Record older = record("a.cu", 1);
  older.started_at = "2025-01-01T00:00:00Z";
  const auto written = to_json(make_leaderboard({older, beside_baseline(record("a.cu", 2), 1.5)}));
  const auto& row = written["boards"][0]["rows"][0];
  EXPECT_EQ(row["rank"], 1);
  EXPECT_EQ(row["scores"][1]["against"], "baseline");
  EXPECT_EQ(row["scores"][1]["statement"], "faster");
  EXPECT_EQ(row["earlier"][0]["measured_at"], "2025-01-01T00:00:00Z");
  EXPECT_EQ(row["cases"][0]["roofline_share"], 1.0);
}

}  // namespace kgrade::leaderboard_page_test
