// Results in the form that KernelBench's scripts read.
#include "leaderboard/kernelbench.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/sample_results.h"

namespace kgrade::kernelbench_test {

using test::record;
using test::refused;
using testing::ElementsAre;
using testing::HasSubstr;

std::string sample_path(int level, int problem, int sample, const std::string& run = "mine") {
  return "runs/" + run + "/level_" + std::to_string(level) + "_problem_" + std::to_string(problem) +
         "_sample_" + std::to_string(sample) + "_kernel.py";
}

KernelBenchResults results_of(std::vector<Record> records, const std::string& file = "eval_results.json") {
  auto results = kernelbench_results(make_leaderboard(std::move(records)), file);
  EXPECT_TRUE(results.ok()) << to_string(results.errors());
  return results ? *results : KernelBenchResults{};
}

nlohmann::ordered_json json_of_one(std::vector<Record> records) {
  const KernelBenchResults results = results_of(std::move(records));
  return results.files.size() == 1 ? nlohmann::ordered_json::parse(results.files.begin()->second) : nullptr;
}

std::string refusal(std::vector<Record> records, const std::string& file = "eval_results.json") {
  const auto results = kernelbench_results(make_leaderboard(std::move(records)), file);
  return results ? "none" : to_string(results.errors());
}

TEST(KernelBenchResults, AreByProblemInOrderOfNumber) {
  const auto json = json_of_one({record(sample_path(1, 100, 0), 2), record(sample_path(1, 23, 1), 2),
                                 record(sample_path(1, 23, 0), 2), record(sample_path(1, 3, 0), 2)});
  std::vector<std::string> keys;
  for (const auto& [key, samples] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("3", "23", "100"));
  ASSERT_EQ(json["23"].size(), 2u);
  EXPECT_EQ(json["23"][0]["sample_id"], 0);
  EXPECT_EQ(json["23"][1]["sample_id"], 1);
}

TEST(KernelBenchResults, HaveTheKeysThatItsScriptsRead) {
  const auto json = json_of_one({record(sample_path(1, 23, 0), 2)});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["23"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("sample_id", "compiled", "correctness", "metadata", "runtime", "runtime_stats"));
  EXPECT_EQ(json["23"][0]["compiled"], true);
  EXPECT_EQ(json["23"][0]["correctness"], true);
  EXPECT_EQ(json["23"][0]["metadata"]["hardware"], "NVIDIA H200");
  EXPECT_EQ(json["23"][0]["metadata"]["kgrade_speedup_reference"]["speedup"], 2);
}

TEST(KernelBenchResults, TimesAreMediansInMilliseconds) {
  const auto json = json_of_one({record(sample_path(1, 23, 0), 2)});
  EXPECT_EQ(json["23"][0]["runtime"], 1);
  EXPECT_EQ(json["23"][0]["runtime_stats"]["median"], 1);
  EXPECT_EQ(json["23"][0]["runtime_stats"]["num_trials"], 60);
}

TEST(KernelBenchResults, OfSeveralCasesItsOwnCounts) {
  Record made = record(sample_path(1, 23, 0), 2);
  made.candidate().cases.push_back(test::measured("kernelbench", 4, test::around(4)));
  EXPECT_EQ(json_of_one({made})["23"][0]["runtime"], 0.5);
  made.candidate().cases[1].name = "other";
  EXPECT_EQ(json_of_one({made})["23"][0]["runtime"], -1.0) << "none of them is KernelBench's";
}

TEST(KernelBenchResults, WithoutASpeedTheRuntimeIsMinusOne) {
  Record emulated = record(sample_path(1, 23, 0), 2);
  emulated.device.measures_speed = false;
  const auto json = json_of_one({emulated, refused(record(sample_path(1, 23, 1), 1), Verdict::wrong_answer)});
  EXPECT_EQ(json["23"][0]["runtime"], -1.0);
  EXPECT_EQ(json["23"][0]["correctness"], true);
  EXPECT_TRUE(json["23"][0]["runtime_stats"].is_object());
  EXPECT_EQ(json["23"][1]["runtime"], -1.0);
  EXPECT_EQ(json["23"][1]["correctness"], false);
  EXPECT_EQ(json["23"][1]["compiled"], true);
  EXPECT_EQ(json["23"][1]["metadata"]["correctness_issue"], "case 'tiny': all wrong");
}

TEST(KernelBenchResults, SayWhatDidNotCompile) {
  const auto json =
      json_of_one({refused(record(sample_path(1, 23, 0), 1), Verdict::compile_error, "line 3: \xff")});
  EXPECT_EQ(json["23"][0]["compiled"], false);
  EXPECT_EQ(json["23"][0]["correctness"], false);
  EXPECT_THAT(json["23"][0]["metadata"]["compilation_error"].get<std::string>(), HasSubstr("line 3"));
}

TEST(KernelBenchResults, SamplesWithoutANumberGetFreeOnes) {
  Record first = record("runs/mine/1_23_a.py", 1);
  Record second = record("runs/mine/1_23_b.py", 1);
  const auto json = json_of_one({second, record(sample_path(1, 23, 1), 1), first});
  EXPECT_EQ(json["23"][0]["metadata"]["kgrade_candidate"], "runs/mine/1_23_a.py");
  EXPECT_EQ(json["23"][1]["metadata"]["kgrade_candidate"], sample_path(1, 23, 1));
  EXPECT_EQ(json["23"][2]["metadata"]["kgrade_candidate"], "runs/mine/1_23_b.py");
}

TEST(KernelBenchResults, AreAFileForEachRunAndLevel) {
  const std::vector<Record> records = {record(sample_path(1, 23, 0), 1), record(sample_path(2, 23, 0), 1)};
  EXPECT_THAT(refusal(records), AllOf(HasSubstr("run 'mine', level 1"), HasSubstr("run 'mine', level 2"),
                                      HasSubstr("{level}")));
  EXPECT_THAT(refusal({record(sample_path(1, 23, 0), 1), record(sample_path(1, 24, 0, "other"), 1)}),
              HasSubstr("{run}"));
  const KernelBenchResults results = results_of(records, "{run}/level{level}.json");
  ASSERT_EQ(results.files.size(), 2u);
  EXPECT_TRUE(results.files.contains("mine/level1.json"));
  EXPECT_TRUE(results.files.contains("mine/level2.json"));
}

TEST(KernelBenchResults, TwoResultsOfOneSampleAreAnError) {
  Record other_gpu = record(sample_path(1, 23, 0), 1);
  other_gpu.device.name = "NVIDIA A100";
  EXPECT_THAT(refusal({record(sample_path(1, 23, 0), 1), other_gpu}),
              AllOf(HasSubstr("sample 0 of problem 23"), HasSubstr("NVIDIA A100"), HasSubstr("NVIDIA H200")));
}

TEST(KernelBenchResults, LeaveOutWhatHasNoNumber) {
  const KernelBenchResults results =
      results_of({record(sample_path(1, 23, 0), 1), record("solutions/scale/fast.cu", 1)});
  EXPECT_EQ(results.left_out, 1u);
  EXPECT_THAT(refusal({record("solutions/scale/fast.cu", 1)}),
              HasSubstr("no result here is of a numbered problem"));
}

}  // namespace kgrade::kernelbench_test
