#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/check_record.h"
#include "record/record_json.h"
#include "tests/support/sample_record.h"

namespace kgrade::json_test {

using nlohmann::json;

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

}  // namespace kgrade::json_test
