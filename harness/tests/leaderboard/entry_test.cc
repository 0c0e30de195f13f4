#include "leaderboard/entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/json.h"
#include "tests/support/sample_record.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const Location anywhere{"some.json", 0, 0};

std::vector<Entry> parsed(const std::string& text) {
  const auto entries = parse_entries(text, anywhere);
  EXPECT_TRUE(entries.ok()) << to_string(entries.errors());
  return entries.ok() && *entries ? **entries : std::vector<Entry>();
}

// With what else a measured record can hold.
Record full_record() {
  Record record = test::sample_record();
  record.dtype = Dtype::bfloat16;
  record.effort = Effort::ranked;
  CandidateRecord& good = record.candidates[0];
  good.scores.push_back({"baseline", {0.75, std::nullopt, 1}, {{1, 0}}});
  good.cases[1].comparisons.push_back({"cudnn-fp32", {0.75, Interval{0.5, 1}, Method::pooled_processes, 4}});
  good.cases[1].flops = 123456789012345;
  good.cases[1].tensor_bytes = 987654321;
  return record;
}

void expect_same(const SpeedComparison& a, const SpeedComparison& b) {
  EXPECT_EQ(a.against, b.against);
  EXPECT_EQ(a.ratio.ratio, b.ratio.ratio);
  ASSERT_EQ(a.ratio.interval.has_value(), b.ratio.interval.has_value());
  const Interval none;
  EXPECT_EQ(a.ratio.interval.value_or(none).low, b.ratio.interval.value_or(none).low);
  EXPECT_EQ(a.ratio.interval.value_or(none).high, b.ratio.interval.value_or(none).high);
  EXPECT_EQ(a.ratio.method, b.ratio.method);
  EXPECT_EQ(a.ratio.count, b.ratio.count);
}

TEST(Entry, OfARecordHasWhatTheRecordSays) {
  const auto entries = parsed(to_text(full_record()));
  ASSERT_EQ(entries.size(), 2u);
  const Entry& good = entries[0];
  EXPECT_EQ(good.file, "some.json");
  EXPECT_EQ(good.started_at, "2026-01-02T03:04:05Z");
  EXPECT_EQ(good.tool_version, "0.1.0");
  EXPECT_EQ(good.git_commit, "0123456789abcdef0123456789abcdef01234567");
  EXPECT_EQ(good.slug, "scale");
  EXPECT_EQ(good.title, "Scale");
  EXPECT_EQ(good.problem_sha256, std::string(64, 'a'));
  EXPECT_EQ(good.reference_sha256, std::string(64, 'b'));
  EXPECT_EQ(good.dtype, Dtype::bfloat16);
  EXPECT_EQ(good.device, "NVIDIA H200");
  EXPECT_EQ(good.device_kind, "cuda");
  EXPECT_TRUE(good.times_are_speed);
  EXPECT_EQ(good.toolchain, "nvcc 13.0.88 -O3");
  EXPECT_EQ(good.ceilings->copy_bytes_per_second, 4e12);
  EXPECT_EQ(good.effort, "ranked");
  EXPECT_EQ(good.cache, "cold");
  EXPECT_EQ(good.seconds, 0.75) << "half of what both took";
  EXPECT_EQ(good.path, "good.cu");
  EXPECT_EQ(good.sha256, std::string(64, 'c'));
  EXPECT_EQ(good.verdict, Verdict::accepted);
  EXPECT_EQ(good.cases_run, 2);
  EXPECT_EQ(good.headline()->against, "baseline");
  EXPECT_EQ(good.scores[0].speedup.interval->low, 1.75);
  EXPECT_EQ(good.scores[0].fast, (std::map<double, double>{{1, 1}, {1.5, 1}, {2, 0}}));
  EXPECT_EQ(entries[1].verdict, Verdict::wrong_answer);
  EXPECT_EQ(entries[1].message, "case 'tiny': all wrong");
  EXPECT_EQ(entries[1].headline(), nullptr);
  EXPECT_EQ(entries[1].cases_run, 1);
  EXPECT_EQ(entries[1].cases_skipped, 1);
}

TEST(Entry, HasTheMeasuredCasesOfAnAcceptedCandidateOnly) {
  const Record record = full_record();
  const auto entries = parsed(to_text(record));
  ASSERT_EQ(entries[0].cases.size(), 1u);
  const EntryCase& large = entries[0].cases[0];
  EXPECT_EQ(large.name, "large");
  EXPECT_EQ(large.candidate_ms, 1.5);
  EXPECT_EQ(large.flops, 123456789012345);
  EXPECT_EQ(large.tensor_bytes, 987654321);
  EXPECT_EQ(large.floor_ms, record.candidates[0].cases[1].roofline->floor.ms());
  EXPECT_EQ(large.share, record.candidates[0].cases[1].roofline->shares.back());
  ASSERT_EQ(large.comparisons.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    expect_same(large.comparisons[i], record.candidates[0].cases[1].comparisons[i]);
  EXPECT_TRUE(entries[1].cases.empty());
}

// What is written and read back is what a record gives at once.
TEST(Entry, OfARecordInMemoryIsTheSame) {
  const Record record = full_record();
  const auto read = parsed(to_text(record));
  const auto made = entries_of(record);
  ASSERT_EQ(made.size(), read.size());
  const auto all = [](const Entry& e) {
    return std::tuple(e.started_at, e.tool_version, e.git_commit, e.slug, e.title, e.problem_sha256,
                      e.reference_sha256, e.dtype, e.required, e.device, e.device_kind, e.times_are_speed,
                      e.toolchain, e.effort, e.cache, e.seconds, e.path, e.sha256, e.verdict, e.message,
                      e.precision, e.scores.size(), e.cases.size(), e.cases_run, e.cases_skipped);
  };
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(all(made[i]), all(read[i]));
  const EntryCase &a = made[0].cases[0], &b = read[0].cases[0];
  EXPECT_EQ(std::tuple(a.name, a.candidate_ms, a.flops, a.tensor_bytes, a.floor_ms, a.bound_by, a.share),
            std::tuple(b.name, b.candidate_ms, b.flops, b.tensor_bytes, b.floor_ms, b.bound_by, b.share));
  expect_same(a.comparisons[1], b.comparisons[1]);
}

TEST(Entry, OfOlderRecordsHaveNoIntervals) {
  const fs::path results = fs::path(KGRADE_SOURCE_DIR) / "results/nvidia-h200";
  const auto entries = read_entries(results / "conv-transpose-2d-sq-input-asym-kernel.json");
  ASSERT_TRUE(entries.ok()) << to_string(entries.errors());
  ASSERT_EQ(entries->size(), 1u);
  const Entry& entry = entries->front();
  EXPECT_EQ(entry.effort, "normal");
  ASSERT_FALSE(entry.cases.empty());
  EXPECT_FALSE(entry.cases[0].comparisons[0].ratio.interval);
  EXPECT_DOUBLE_EQ(entry.headline()->speedup.geometric_mean, 1.1532259806695413);
}

TEST(Entry, AllRecordsOfTheRepositoryAreRead) {
  const auto entries = read_entries(fs::path(KGRADE_SOURCE_DIR) / "results");
  ASSERT_TRUE(entries.ok()) << to_string(entries.errors());
  std::size_t accepted = 0, with_baseline = 0;
  for (const Entry& entry : *entries) {
    accepted += entry.verdict == Verdict::accepted;
    with_baseline += entry.headline() != nullptr && entry.headline()->against == "baseline";
  }
  EXPECT_GE(accepted, 11u);
  EXPECT_GE(with_baseline, 5u);
  EXPECT_GE(entries->size(), accepted + 39) << "the wrong candidates too";
}

// The message for a record that is changed at a place.
std::string complaint(const std::string& pointer, const json& value) {
  json record = json(to_json(full_record()));
  record[json::json_pointer(pointer)] = value;
  const auto entries = parse_entries(record.dump(), Location{"sweep.jsonl", 7, 0});
  EXPECT_FALSE(entries.ok()) << pointer << " = " << value;
  return entries.ok() ? "" : to_string(entries.errors());
}

TEST(Entry, WhatIsWrongInARecordIsSaidWithItsPlace) {
  EXPECT_EQ(complaint("/candidates/0/sha256", 7),
            "sweep.jsonl:7: error: /candidates/0/sha256 is number where a string is expected\n"
            "  hint: grade it again, or leave the file out");
  const std::string comparison = "/candidates/0/cases/1/comparisons/0";
  EXPECT_THAT(complaint(comparison + "/speedup", -2), HasSubstr(comparison + "/speedup is -2, which is not"));
  EXPECT_THAT(complaint(comparison + "/speedup", 0), HasSubstr("is 0, which is not"));
  EXPECT_THAT(complaint(comparison + "/interval/low", 5), HasSubstr("ends below its beginning"));
  EXPECT_THAT(complaint(comparison + "/method", "luck"), HasSubstr("is no word that is known here"));
  EXPECT_THAT(complaint(comparison + "/count", 1.5), HasSubstr("where a whole number is expected"));
  EXPECT_THAT(complaint("/candidates/0/cases/1/tensor_bytes", 18446744073709551615u),
              HasSubstr("is not from 0"));
  EXPECT_THAT(complaint("/candidates/0/verdict", "fine"), HasSubstr("/candidates/0/verdict is no word"));
  EXPECT_THAT(complaint("/candidates", json::object()), HasSubstr("is object where an array is expected"));
  EXPECT_THAT(complaint("/problem/slug", "../../etc"), HasSubstr("small letters"));
  EXPECT_THAT(complaint("/problem/dtype", "float8"), HasSubstr("/problem/dtype is no word"));
  EXPECT_THAT(complaint("/started_at", "yesterday"), HasSubstr("is no moment"));
  EXPECT_THAT(complaint("/reference/sha256", std::string(64, 'G')), HasSubstr("is no SHA-256"));
  EXPECT_THAT(complaint("/device", nullptr), HasSubstr("/device is null where an object is expected"));
  EXPECT_THAT(complaint("/candidates/0/scores/0/fast_p/a~1b", 1), HasSubstr("/fast_p/a~1b is of no speedup"));
  EXPECT_THAT(complaint("/candidates/0/message", std::string(70'000, 'x')), HasSubstr("is longer than"));
}

TEST(Entry, EveryMemberThatIsReadIsMissed) {
  const json record = json(to_json(full_record()));
  for (const char* pointer :
       {"/schema_version", "/started_at", "/tool/version", "/problem/slug", "/problem/precision",
        "/reference/sha256", "/device/times_are_speed", "/effort", "/toolchain", "/candidates",
        "/candidates/0/path", "/candidates/0/scores", "/candidates/0/scores/0/geometric_mean",
        "/candidates/0/cases/0/run", "/candidates/0/cases/1/comparisons",
        "/candidates/0/cases/1/candidate/summary/median_ms",
        "/candidates/0/cases/1/roofline/shares/candidate", "/ceilings/fp64_flops_per_second"}) {
    const json::json_pointer place(pointer);
    json changed = record;
    changed[place.parent_pointer()].erase(place.back());
    const auto entries = parse_entries(changed.dump(), anywhere);
    ASSERT_FALSE(entries.ok()) << pointer;
    EXPECT_EQ(entries.error().message, std::string(pointer) + " is missing");
    EXPECT_EQ(entries.errors().size(), 1u) << "and it is said once";
  }
}

// A forged record could make a CPU the fastest GPU.
TEST(Entry, SpeedsOfADeviceWithoutSpeedAreRefused) {
  EXPECT_THAT(complaint("/device/times_are_speed", false),
              HasSubstr("/device/times_are_speed is false, but"));
}

TEST(Entry, ALaterVersionIsRefused) {
  EXPECT_THAT(complaint("/schema_version", record_schema_version + 1), HasSubstr("newer kgrade"));
}

TEST(Entry, BrokenJsonIsAnErrorThatQuotesLittle) {
  for (const std::string& text :
       {std::string("{\"schema\""), std::string("[1e999]"), std::string("\"\xff\""), std::string(),
        "\"" + std::string(1 << 20, 'x'), std::string(1 << 20, '[')}) {
    const auto entries = parse_entries(text, anywhere);
    ASSERT_FALSE(entries.ok()) << text.substr(0, 20);
    EXPECT_THAT(entries.error().message, HasSubstr("is not JSON"));
    EXPECT_LT(entries.error().message.size(), 1000u);
  }
}

TEST(Entry, OtherDocumentsAreNone) {
  for (const char* text : {"[]", "7", "{}", R"({"schema": "kgrade-check"})", R"({"schema": 7})"}) {
    const auto entries = parse_entries(text, anywhere);
    ASSERT_TRUE(entries.ok()) << text;
    EXPECT_FALSE(*entries) << text;
  }
}

json leaderboard() {
  const json row = {{"candidate", "a.cu"},
                    {"sha256", std::string(64, 'c')},
                    {"message", ""},
                    {"measured_at", "2026-01-02T03:04:05Z"},
                    {"tool_version", "0.1.0"},
                    {"git_commit", ""},
                    {"problem_sha256", std::string(64, 'a')},
                    {"reference_sha256", std::string(64, 'b')},
                    {"effort", "normal"},
                    {"cache", "cold"},
                    {"verdict", "accepted"}};
  json ranked = row, refused = row;
  const json interval = {{"low", 1.5}, {"high", 2.5}};
  ranked["cases"] = {{{"name", "large"},
                      {"median_ms", 1.5},
                      {"flops", nullptr},
                      {"bytes", 100},
                      {"comparisons", {{{"against", "reference"}, {"speedup", 2}, {"interval", interval}}}}}};
  const json contest = {{"problem", "scale"},
                        {"title", "Scale"},
                        {"dtype", "float16"},
                        {"device", "NVIDIA H200"},
                        {"precision", "tf32"}};
  json board = contest;
  board["rows"] = {ranked};
  refused.update(contest);
  refused["candidate"] = "b.cu";
  refused["verdict"] = "unstable";
  return {{"schema", "kgrade-leaderboard"},
          {"schema_version", 1},
          {"boards", {board}},
          {"unmeasured", {refused}},
          {"devices", {{{"name", "NVIDIA H200"}, {"kind", "cuda"}, {"times_are_speed", true}}}}};
}

TEST(Entry, OfALeaderboardHasItsNewestResults) {
  const auto entries = parse_leaderboard(leaderboard().dump(), anywhere);
  ASSERT_TRUE(entries.ok()) << to_string(entries.errors());
  ASSERT_EQ((*entries)->size(), 2u);
  const Entry& ranked = (**entries)[0];
  EXPECT_EQ(ranked.path, "a.cu");
  EXPECT_EQ(ranked.dtype, Dtype::float16);
  EXPECT_EQ(ranked.precision, Precision::tf32);
  EXPECT_TRUE(ranked.times_are_speed);
  EXPECT_EQ(ranked.reference_sha256, std::string(64, 'b'));
  EXPECT_EQ(ranked.cases.at(0).comparisons.at(0).ratio.interval->high, 2.5);
  EXPECT_EQ((**entries)[1].verdict, Verdict::unstable);
}

TEST(Entry, OfABrokenLeaderboardAreRefused) {
  const auto message = [](const std::string& pointer, const json& value) {
    json changed = leaderboard();
    changed[json::json_pointer(pointer)] = value;
    const auto entries = parse_leaderboard(changed.dump(), anywhere);
    return entries.ok() ? std::string() : entries.error().message;
  };
  EXPECT_EQ(message("/boards/0/device", "a toaster"), "/boards/0/device is none of /devices");
  EXPECT_THAT(message("/boards/0/rows/0/cases/0/comparisons/0/speedup", 0),
              HasSubstr("/speedup is 0, which is not"));
  EXPECT_THAT(message("/schema_version", 2), HasSubstr("is a leaderboard of version 2"));
  EXPECT_THAT(message("/unmeasured/0/verdict", 7), HasSubstr("/unmeasured/0/verdict is number"));
  EXPECT_FALSE(*parse_leaderboard("{}", anywhere));
}

}  // namespace
}  // namespace kgrade
