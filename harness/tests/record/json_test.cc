#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json_archive.h"
#include "check/check_record.h"
#include "record/record_json.h"
#include "tests/support/sample_record.h"

namespace kgrade::json_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

TEST(Json, IsUnroundedAndRoundTrips) {
  Record record = test::sample_record();
  record.candidates[0].cases[1].relative_error = 1.0 / 3;
  const json parsed = json::parse(to_json(record).dump());
  EXPECT_EQ(parsed["candidates"][0]["cases"][1]["error"]["relative"].get<double>(), 1.0 / 3);
  EXPECT_EQ(parsed["seed"], "18446744073709551615");
}

TEST(Json, SaysWhetherAnswersWereTheSameBitsOnlyWhereThatWasTried) {
  Record record = test::sample_record();
  EXPECT_FALSE(json(to_json(record))["candidates"][0].contains("deterministic"));
  for (const bool same : {false, true}) {
    record.candidates[0].deterministic = same;
    EXPECT_EQ(json(to_json(record))["candidates"][0]["deterministic"], same);
    const auto read = parse_record(to_text(record), {"a.json", 0, 0});
    ASSERT_TRUE(read && *read);
    EXPECT_EQ((*read)->candidates[0].deterministic, same);
  }
}

TEST(Json, BytesThatAreNotUtf8DoNotLoseTheRecord) {
  Record record = test::sample_record();
  record.candidates[0].path = "n\xff.cu";
  record.candidates[0].compiler_log = "caf\xe9";
  EXPECT_EQ(json::parse(to_text(record))["candidates"][0]["path"], "n\uFFFD.cu");
}

TEST(Json, AnErrorBeyondAllBoundsIsNull) {
  const json error = json(to_json(test::sample_record()))["candidates"][1]["cases"][0]["error"];
  EXPECT_TRUE(error["relative"].is_null());
  EXPECT_TRUE(error["max_scaled"].is_null());
}

TEST(Json, ACaseThatDidNotRunHasNoVerdictAndNoSamples) {
  const json skipped = json(to_json(test::sample_record()))["candidates"][1]["cases"][1];
  EXPECT_EQ(skipped["run"], false);
  EXPECT_TRUE(skipped["verdict"].is_null());
  EXPECT_FALSE(skipped.contains("candidate"));
}

TEST(Json, TheOrderOfThreadsIsTheEmulatedDevices) {
  Record record = test::sample_record();
  EXPECT_FALSE(json(to_json(record))["device"].contains("thread_order"));
  record.device.kind = "emulated";
  record.device.thread_order = "reverse";
  EXPECT_EQ(json(to_json(record))["device"]["thread_order"], "reverse");
}

// Readers of either record find the same things in the same places.
TEST(Json, BothRecordsDescribeTheirRunAlike) {
  const Record graded = test::sample_record();
  CheckRecord checked;
  static_cast<RunRecord&>(checked) = graded;
  const json grade_record = to_json(graded);
  const json check_record = to_json(checked);
  for (const char* key : {"tool", "started_at", "host", "device", "sandbox", "reference", "toolchain", "seed",
                          "stages_seconds", "total_seconds"}) {
    EXPECT_EQ(check_record[key], grade_record[key]) << key;
    EXPECT_FALSE(check_record[key].is_null()) << key;
  }
  EXPECT_EQ(check_record["problem"]["sha256"], grade_record["problem"]["sha256"]);
}

TEST(Json, KeepsEverySampleAndSummarisesThem) {
  const json c = json(to_json(test::sample_record()))["candidates"][0]["cases"][1];
  EXPECT_EQ(c["candidate"]["samples_ms"], json({1.5, 1.25, 1.5, 1.25, 2, 1.5})) << "void blocks too";
  EXPECT_EQ(c["candidate"]["summary"]["count"], 4) << "but they do not count";
  EXPECT_EQ(c["candidate"]["summary"]["median_ms"], 1.5);
  EXPECT_EQ(c["candidate"]["summary"]["minimum_ms"], 1.25);
  EXPECT_EQ(c["reference"]["summary"]["median_ms"], 3);
  const json tiny = json(to_json(test::sample_record()))["candidates"][0]["cases"][0];
  EXPECT_EQ(tiny["candidate"]["samples_ms"], json({1.5, 1.25, 2}));
  EXPECT_FALSE(tiny.contains("measurement"));
}

TEST(Json, SaysHowACaseWasMeasured) {
  const json c = json(to_json(test::sample_record()))["candidates"][0]["cases"][1];
  EXPECT_EQ(c["measurement"]["arms"], json({"reference", "candidate"}));
  EXPECT_EQ(c["measurement"]["cache"], "cold");
  EXPECT_EQ(c["measurement"]["goal"]["half_width"], 0.005);
  const json process = c["measurement"]["processes"][0];
  EXPECT_EQ(process["orders"], json({"ab", "ab", "ba"}));
  EXPECT_EQ(process["void"], json({{{"block", 1}, {"reason", "hw_thermal"}}}));
  EXPECT_EQ(process["ended"], "budget_spent");
  EXPECT_FALSE(c.contains("baseline"));
}

TEST(Json, ABaselineIsAnArmOfItsOwn) {
  Record record = test::sample_record();
  Measurement& measurement = *record.candidates[0].cases[1].measurement;
  std::vector<Arm>& arms = record.candidates[0].cases[1].arms;
  arms.insert(arms.begin() + 1, {"cudnn-fp32", {}, {}});
  measurement.processes = {{2, {{{2, 0, 1}, {{3, 3}, {2, 2}, {1, 1}}, ""}}, BlockEnd::precise}};
  record.candidates[0].cases[1].roofline->shares = {0.25, 0.5, 0.75};
  const json c = json(to_json(record))["candidates"][0]["cases"][1];
  EXPECT_EQ(c["baseline"]["name"], "cudnn-fp32");
  EXPECT_EQ(c["baseline"]["samples_ms"], json({2.0, 2.0}));
  EXPECT_EQ(c["candidate"]["samples_ms"], json({1.0, 1.0}));
  EXPECT_EQ(c["measurement"]["processes"][0]["orders"], json({"cab"}));
  EXPECT_EQ(c["measurement"]["processes"][0]["launches_per_sample"], 2);
  EXPECT_EQ(c["roofline"]["shares"]["cudnn-fp32"], 0.5);
}

TEST(Json, ABaselineNamesItsLibraryIfItHasOne) {
  Record record = test::sample_record();
  record.baselines = {{.name = "cublas-fp32", .library = "cuBLAS 13.1.0"}, {.name = "pytorch-fp32"}};
  const json written = json(to_json(record))["baselines"]["contestants"];
  EXPECT_EQ(written[0]["library"], "cuBLAS 13.1.0");
  EXPECT_FALSE(written[1].contains("library"));
}

TEST(Json, OtherBaselinesAreArmsThatDoNotCount) {
  Record record = test::sample_record();
  CaseRecord& c = record.candidates[0].cases[1];
  c.arms.insert(c.arms.begin() + 1, {"pytorch-tf32", {}, {}, true});
  c.measurement->processes = {{2, {{{2, 0, 1}, {{3, 3}, {2, 2}, {1, 1}}, ""}}, BlockEnd::precise}};
  c.roofline->shares = {0.25, 0.5, 0.75};
  c.others = {{"pytorch-tf32", {2.0}}};
  record.candidates[0].by_baseline = {{"pytorch-tf32", {2.0, Interval{1.9, 2.1}, 1}, {{1, 1.0}}}};
  const json whole(to_json(record));
  const json written = whole["candidates"][0]["cases"][1];
  EXPECT_FALSE(written.contains("baseline"));
  ASSERT_EQ(written["other_baselines"].size(), 1u);
  EXPECT_EQ(written["other_baselines"][0]["name"], "pytorch-tf32");
  EXPECT_EQ(written["other_baselines"][0]["samples_ms"], json({2.0, 2.0}));
  EXPECT_EQ(written["other_comparisons"][0]["against"], "pytorch-tf32");
  EXPECT_EQ(written["comparisons"][0]["against"], "reference");

  const auto read = parse_record(whole.dump(), {"record.json", 0, 0}, RecordDetail::all);
  ASSERT_TRUE(read.ok() && *read) << to_string(read.errors());
  const CaseRecord& again = (*read)->candidates[0].cases[1];
  ASSERT_EQ(again.arms.size(), 3u);
  EXPECT_TRUE(again.arms[1].is_beside);
  EXPECT_EQ(json(to_json(**read)), whole) << "and written as it was";
}

TEST(Json, AComparisonHasItsIntervalAndOneWord) {
  const json c = json(to_json(test::sample_record()))["candidates"][0]["cases"][1];
  const json comparison = c["comparisons"][0];
  EXPECT_EQ(comparison["against"], "reference");
  EXPECT_EQ(comparison["speedup"], 2);
  EXPECT_EQ(comparison["interval"], json({{"low", 1.75}, {"high", 2.25}}));
  EXPECT_EQ(comparison["statement"], "faster");
  EXPECT_EQ(comparison["method"], "within_process");
}

TEST(Json, TelemetryThatIsNotKnownIsNull) {
  const json telemetry = json(to_json(test::sample_record()))["candidates"][0]["telemetry"];
  EXPECT_EQ(telemetry["sm_clock_mhz"], json({{"minimum", 1900}, {"median", 1950.5}, {"maximum", 1980}}));
  EXPECT_TRUE(telemetry["power_milliwatts"].is_null());
  EXPECT_EQ(telemetry["reasons"], json({{"sw_power_cap", 0.25}}));
}

TEST(Json, EveryLayerOfTheSandboxIsNamedMissingOnesToo) {
  const json sandbox = json(to_json(test::sample_record()))["sandbox"];
  EXPECT_EQ(sandbox["confined"], true);
  EXPECT_EQ(sandbox["layers"],
            json({{{"name", "namespaces"}, {"active", true}, {"detail", "user, PID"}, {"remedy", ""}},
                  {{"name", "cgroup"}, {"active", false}, {"detail", "no tree"}, {"remedy", "a tree"}}}));
}

TEST(Json, ARunWithoutASandboxIsNotConfined) {
  const json sandbox = json(to_json(Record{}))["sandbox"];
  EXPECT_EQ(sandbox["confined"], false);
  EXPECT_EQ(sandbox["layers"], json::array());
}

TEST(Json, TheSeedOfHiddenShapesIsTextOrNull) {
  EXPECT_EQ(json(to_json(test::sample_record()))["hidden_seed"], "18446744073709551614");
  EXPECT_TRUE(json(to_json(Record{}))["hidden_seed"].is_null());
}

TEST(Json, SaysHowBusyTheHostWas) {
  Record record = test::sample_record();
  EXPECT_FALSE(json(to_json(record))["host"].contains("load_average"));
  record.host = host_info();
  EXPECT_GE(json(to_json(record))["host"]["load_average"].get<double>(), 0);
}

TEST(Json, EvidenceOfSpeedsIsKept) {
  const json cases = json(to_json(test::sample_record()))["candidates"][0]["cases"];
  EXPECT_EQ(cases[1]["evidence"], json({{"repeated_ms", {1.25}},
                                        {"changed_ms", {1.375}},
                                        {"unmeasured_ms", {1.75, 1.5}},
                                        {"reference_before_ms", {3.0}},
                                        {"reference_after_ms", {3.25}},
                                        {"lower_bound_ms", 0.125}}));
  // 0 would be a bound, but there is none.
  EXPECT_TRUE(cases[0]["evidence"]["lower_bound_ms"].is_null());
}

// Records, written and read back unchanged.

const Location anywhere{"some.json", 0, 0};

// With everything else that a measured record can have.
Record full_record() {
  Record record = test::sample_record();
  record.dtype = Dtype::bfloat16;
  record.effort = Effort::ranked;
  record.host.load_average = 1.5;
  CandidateRecord& good = record.candidates[0];
  good.scores.push_back({"baseline", {0.75, std::nullopt, 1}, {{1, 0}}});
  good.cases[1].speedups.push_back({"cudnn-fp32", {0.75, Interval{0.5, 1}, Method::pooled_processes, 4}});
  good.cases[1].flops = 123456789012345;
  good.cases[1].tensor_bytes = 987654321;
  good.cases[1].weight = 2.5;
  const SpeedRatio ratio{1.25, Interval{1.125, 1.5}, Method::within_process, 30};
  good.neighbours = {{"other.cu", std::string(64, 'e'), {1.25, Interval{1.125, 1.5}, 1}, {{"large", ratio}}},
                     {"third.cu",
                      std::string(64, 'f'),
                      {0.5, std::nullopt, 1},
                      {{"large", {0.5, std::nullopt, Method::within_process, 3}}}}};
  return record;
}

json rewritten(const std::string& text) {
  const auto record = parse_record(text, anywhere);
  EXPECT_TRUE(record.ok()) << to_string(record.errors());
  return record.ok() && *record ? json(to_json(**record)) : json();
}

TEST(ParseRecord, GivesWhatWasWritten) {
  const Record record = full_record();
  EXPECT_EQ(rewritten(to_text(record)), json(to_json(record)));
}

TEST(ParseRecord, KeepsTheVerdictOfTheSet) {
  Record record = full_record();
  CandidateRecord& bad = record.candidates[1];
  bad.by_set = CandidateBySet{SetVerdict::not_decided, 1, 2, {}, {}};
  bad.cases[0].by_set =
      CaseBySet{false, 3, 100, std::numeric_limits<double>::infinity(), {0.01, 0.02, 0.99, std::nullopt}};
  const json written = json::parse(to_text(record))["candidates"][1];
  EXPECT_EQ(written["by_set"], json({{"verdict", "not_decided"},
                                     {"cases", 1},
                                     {"all_cases", 2},
                                     {"refused", json::array()},
                                     {"differs", nullptr}}));
  const json rule = {{"absolute", 0.01}, {"relative", 0.02}, {"matched", 0.99}, {"largest", nullptr}};
  EXPECT_EQ(written["cases"][0]["by_set"], json({{"accepted", false},
                                                 {"failed_elements", 3},
                                                 {"elements", 100},
                                                 {"largest_error", nullptr},
                                                 {"rule", rule}}));
  EXPECT_EQ(rewritten(to_text(record)), json(to_json(record)));
  bad.cases[0].by_set->rule.either = true;
  EXPECT_EQ(rewritten(to_text(record)), json(to_json(record)));
  EXPECT_FALSE(json(to_json(record))["candidates"][0].contains("by_set"));
}

TEST(ParseRecord, KeepsTheMatrixUnits) {
  Record record = full_record();
  record.candidates[0].matrix_units = std::vector<std::string>{"bf16 (HGMMA)"};
  record.candidates[1].matrix_units.emplace();
  json written = json::parse(to_text(record));
  EXPECT_EQ(written["candidates"][0]["matrix_units"], json({"bf16 (HGMMA)"}));
  EXPECT_EQ(written["candidates"][1]["matrix_units"], json::array()) << "which says that there are none";
  EXPECT_EQ(rewritten(to_text(record)), json(to_json(record)));
  record.candidates[1].matrix_units.reset();
  EXPECT_FALSE(json(to_json(record))["candidates"][1].contains("matrix_units"));
  for (const json& wrong :
       {json("bf16"), json({3}), json({std::string(101, 'x')}), json(std::vector<std::string>(65, "x"))}) {
    written["candidates"][0]["matrix_units"] = wrong;
    EXPECT_FALSE(parse_record(written.dump(), {}, RecordDetail::all)) << wrong;
  }
}

TEST(ParseRecord, KeepsWhatTheClockAttests) {
  Record record = full_record();
  CaseRecord& large = record.candidates[0].cases[1];
  large.clock = ClockRecord{0.75, 0.125, 6, 1, 0};
  large.measurement->processes[0].blocks[0].samples[1][0].attested_ms = 1.75;
  summarise_arms(large);
  const auto read = parse_record(to_text(record), anywhere);
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const Sample& sample = (*read)->candidates[0].cases[1].measurement->processes[0].blocks[0].samples[1][0];
  EXPECT_EQ(sample.reported_ms, 1.5);
  EXPECT_EQ(sample.attested_ms, 1.75);
  EXPECT_EQ(json(to_json(**read)), json(to_json(record)));
}

TEST(ParseRecord, WithoutDetailKeepsWhatResultsAreComparedBy) {
  const Record record = full_record();
  const auto read = parse_record(to_text(record), anywhere, RecordDetail::results);
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const CaseRecord& large = (*read)->candidates[0].cases[1];
  EXPECT_EQ(large.candidate().summary.median, record.candidates[0].cases[1].candidate().summary.median);
  EXPECT_TRUE(large.candidate().samples.empty());
  EXPECT_EQ(large.roofline->shares, record.candidates[0].cases[1].roofline->shares);
  EXPECT_EQ(large.speedups.size(), 2u);
  ASSERT_EQ((*read)->candidates[0].neighbours.size(), 2u);
  EXPECT_EQ((*read)->candidates[0].neighbours[0].speedup.interval->low, 1.125);
  EXPECT_EQ((*read)->candidates[0].neighbours[0].speedup.count, 1u);
  EXPECT_EQ((*read)->candidates[0].neighbours[0].cases[0].ratio.count, 30u);
  EXPECT_EQ(cache_text((*read)->candidates[0]), "cold");
  EXPECT_TRUE((*read)->candidates[0].checks.empty());
}

TEST(ParseRecord, ARecordACandidateHasItsShareOfTheTime) {
  const auto records = one_a_candidate(full_record());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].total_seconds, 0.75);
  EXPECT_EQ(records[1].candidate().message, "case 'tiny': all wrong");
  EXPECT_EQ(compared_cases(records[0].candidate()).size(), 1u);
  EXPECT_TRUE(compared_cases(records[1].candidate()).empty());
}

std::vector<std::string> texts_in(const fs::path& path) {
  std::ifstream stream(path);
  if (path.extension() == ".json") return {(std::stringstream() << stream.rdbuf()).str()};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A record loses nothing on its way through the program.
TEST(ParseRecord, RecordsOfTheRepositoryStayWhatTheyAre) {
  std::size_t records = 0;
  for (const auto& file : fs::recursive_directory_iterator(fs::path(KGRADE_SOURCE_DIR) / "results")) {
    if (!file.path().extension().string().starts_with(".json")) continue;
    for (const std::string& text : texts_in(file.path())) {
      const auto document = parse_json(text, anywhere);
      ASSERT_TRUE(document.ok()) << file.path();
      if (!document->is_object() || document->value("schema", "") != "kgrade-record") continue;
      ++records;
      EXPECT_EQ(json::diff(*document, rewritten(text)), json::array()) << file.path();
    }
  }
  EXPECT_GE(records, 70u);
}

// The message for a record that is changed at this place.
std::string complaint(const std::string& pointer, const json& value) {
  json record = json(to_json(full_record()));
  record[json::json_pointer(pointer)] = value;
  const auto records = parse_record(record.dump(), Location{"sweep.jsonl", 7, 0}, RecordDetail::results);
  EXPECT_FALSE(records.ok()) << pointer << " = " << value;
  return records.ok() ? "" : to_string(records.errors());
}

TEST(ParseRecord, WhatIsWrongInARecordIsSaidWithItsPlace) {
  EXPECT_EQ(complaint("/candidates/0/sha256", 7),
            "sweep.jsonl:7: error: /candidates/0/sha256 is number where a string is expected\n"
            "  hint: grade it again, or leave the file out");
  const std::string comparison = "/candidates/0/cases/1/comparisons/0";
  EXPECT_THAT(complaint(comparison + "/speedup", -2), HasSubstr(comparison + "/speedup is -2, which is not"));
  EXPECT_THAT(complaint(comparison + "/speedup", 0), HasSubstr("is 0, which is not"));
  EXPECT_THAT(complaint(comparison + "/interval/low", 5), HasSubstr("ends below its beginning"));
  const std::string neighbour = "/candidates/0/neighbours/0";
  EXPECT_THAT(complaint(neighbour + "/sha256", "abc"), HasSubstr("is no SHA-256"));
  EXPECT_THAT(complaint(neighbour + "/geometric_mean", 0), HasSubstr("is 0, which is not"));
  EXPECT_THAT(complaint(neighbour + "/interval/low", 5), HasSubstr("ends below its beginning"));
  EXPECT_THAT(complaint(neighbour + "/cases/0/speedup", "fast"), HasSubstr("where a number is expected"));
  EXPECT_THAT(complaint(comparison + "/method", "luck"), HasSubstr("is not one of"));
  EXPECT_THAT(complaint(comparison + "/count", 1.5), HasSubstr("where a whole number is expected"));
  EXPECT_THAT(complaint("/candidates/0/cases/1/tensor_bytes", 18446744073709551615u),
              HasSubstr("is not from 0"));
  EXPECT_THAT(complaint("/candidates/0/verdict", "fine"), HasSubstr("/candidates/0/verdict is not one of: "));
  EXPECT_THAT(complaint("/candidates", json::object()), HasSubstr("is object where an array is expected"));
  EXPECT_THAT(complaint("/problem/slug", "../../etc"), HasSubstr("small letters"));
  EXPECT_THAT(complaint("/problem/dtype", "float8"), HasSubstr("/problem/dtype is not one of: "));
  EXPECT_THAT(complaint("/started_at", "yesterday"), HasSubstr("is no moment"));
  EXPECT_THAT(complaint("/reference/sha256", std::string(64, 'G')), HasSubstr("is no SHA-256"));
  EXPECT_THAT(complaint("/device", nullptr), HasSubstr("/device is null where an object is expected"));
  EXPECT_THAT(complaint("/candidates/0/scores/0/fast_p/a~1b", 1),
              HasSubstr("/fast_p/a~1b has a name that is no number"));
  EXPECT_THAT(complaint("/candidates/0/message", std::string(70'000, 'x')), HasSubstr("is longer than"));
  EXPECT_THAT(complaint("/candidates", json::array()), HasSubstr("/candidates has fewer than 1 item"));
}

TEST(ParseRecord, EveryMemberThatIsReadIsMissed) {
  const json record = json(to_json(full_record()));
  for (const char* pointer :
       {"/schema_version", "/started_at", "/tool/version", "/problem/slug", "/problem/precision",
        "/reference/sha256", "/device/times_are_speed", "/effort", "/toolchain", "/candidates",
        "/candidates/0/path", "/candidates/0/scores", "/candidates/0/scores/0/geometric_mean",
        "/candidates/0/neighbours/0/cases", "/candidates/0/cases/0/run", "/candidates/0/cases/1/comparisons",
        "/candidates/0/cases/1/candidate/summary/median_ms",
        "/candidates/0/cases/1/roofline/shares/candidate", "/ceilings/fp64_flops_per_second"}) {
    const json::json_pointer place(pointer);
    json changed = record;
    changed[place.parent_pointer()].erase(place.back());
    const auto records = parse_record(changed.dump(), anywhere, RecordDetail::results);
    ASSERT_FALSE(records.ok()) << pointer;
    EXPECT_EQ(records.error().message, std::string(pointer) + " is missing");
    EXPECT_EQ(records.errors().size(), 1u) << "and it is said once";
  }
}

// A forged record could make a CPU the fastest GPU.
TEST(ParseRecord, SpeedsOfADeviceWithoutSpeedAreRefused) {
  EXPECT_THAT(complaint("/device/times_are_speed", false),
              HasSubstr("/device/times_are_speed is false, but"));
}

TEST(ParseRecord, SpeedsBesideANeighbourAreSpeeds) {
  Record record = test::sample_record();
  CandidateRecord& forged = record.candidates[1];
  record.candidates[0].scores.clear();
  record.candidates[0].cases[1].speedups.clear();
  record.device.measures_speed = false;
  EXPECT_TRUE(parse_record(to_text(record), anywhere).ok());
  forged.neighbours = {{"good.cu",
                        std::string(64, 'c'),
                        {9, std::nullopt, 1},
                        {{"large", {9, std::nullopt, Method::within_process, 3}}}}};
  EXPECT_FALSE(parse_record(to_text(record), anywhere).ok());
}

TEST(ParseRecord, OtherVersionsAreRefused) {
  EXPECT_THAT(complaint("/schema_version", record_schema_version + 1), HasSubstr("newer kgrade"));
  EXPECT_THAT(complaint("/schema_version", record_schema_version - 1), HasSubstr("grade again"));
}

// Values from which a reader builds blocks must be consistent.
TEST(ParseRecord, SamplesThatDoNotFitTheBlocksAreRefused) {
  const auto refused = [](const std::string& pointer, const json& value) {
    json record = json(to_json(full_record()));
    record[json::json_pointer("/candidates/0/cases/1" + pointer)] = value;
    const auto read = parse_record(record.dump(), anywhere);
    return read.ok() ? "" : read.error().message;
  };
  EXPECT_THAT(refused("/candidate/samples_ms", {1, 2, 3}), HasSubstr("does not fit the blocks"));
  EXPECT_THAT(refused("/measurement/processes/0/orders/0", "zz"), HasSubstr("is no order of arms"));
  EXPECT_THAT(refused("/measurement/processes/0/orders/0", "a"), HasSubstr("does not fit the blocks"));
  EXPECT_THAT(refused("/measurement/processes/0/void/0/block", 99), HasSubstr("is none of the orders"));
}

TEST(ParseRecord, BrokenJsonIsAnErrorThatQuotesLittle) {
  for (const std::string& text :
       {std::string("{\"schema\""), std::string("[1e999]"), std::string("\"\xff\""), std::string(),
        "\"" + std::string(1 << 20, 'x'), std::string(1 << 20, '[')}) {
    const auto records = parse_record(text, anywhere);
    ASSERT_FALSE(records.ok()) << text.substr(0, 20);
    EXPECT_THAT(records.error().message, HasSubstr("is not JSON"));
    EXPECT_LT(records.error().message.size(), 1000u);
  }
}

TEST(ParseRecord, OtherDocumentsAreNone) {
  for (const char* text : {"[]", "7", "{}", R"({"schema": "kgrade-check"})", R"({"schema": 7})"}) {
    const auto records = parse_record(text, anywhere);
    ASSERT_TRUE(records.ok()) << text;
    EXPECT_FALSE(*records) << text;
  }
}

}  // namespace kgrade::json_test
