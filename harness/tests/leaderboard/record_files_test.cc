#include "leaderboard/record_files.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "leaderboard/samples.h"
#include "record/record_json.h"
#include "tests/support/sample_record.h"
#include "tests/support/sample_results.h"

namespace kgrade::record_files_test {

namespace fs = std::filesystem;
using nlohmann::json;
using test::record;
using test::refused;
using testing::ElementsAre;
using testing::HasSubstr;

class EntryFiles : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file_atomically(path, content).ok());
    return path;
  }
  static std::string line(const std::string& candidate) {
    Record record = test::sample_record();
    record.candidates.resize(1);
    record.candidates[0].path = candidate;
    return to_json(record).dump() + "\n";
  }
  static std::vector<std::string> paths(const Result<std::vector<Record>>& records) {
    std::vector<std::string> all;
    if (!records) return {to_string(records.errors())};
    for (const Record& record : *records) all.push_back(record.candidate().path);
    return all;
  }
  TemporaryDirectory folder_;
};

using Names = std::vector<std::string>;

TEST_F(EntryFiles, OfASweepAreReadWithTheirLines) {
  const auto records =
      read_records(write("sweep.jsonl", line("a.cu") + "\n" + line("b.cu") + "{\"schema\": \"kgr"));
  EXPECT_EQ(paths(records), (Names{"a.cu", "b.cu"}));
  EXPECT_EQ((*records)[1].read_from.line, 3);
}

TEST_F(EntryFiles, ASweepThatIsCutOffIsToldOf) {
  const fs::path path = write("sweep.jsonl", line("a.cu") + "{\"schema\": \"kgr");
  const auto read = read_results(path);
  ASSERT_EQ(read->unfinished.size(), 1u);
  EXPECT_EQ(to_string(read->unfinished[0]),
            path.string() +
                ":2: error: ends in the middle of a line: the last result of a sweep is missing\n"
                "  hint: finish the sweep: the same kgrade sweep with --resume");
  write("whole.jsonl", line("b.cu") + " \t");
  EXPECT_EQ(read_results(folder_.path())->unfinished.size(), 1u);
  EXPECT_EQ(read_results(folder_.path())->records.size(), 2u);
  const auto broken = read_results(write("broken.jsonl", line("a.cu") + "{\"schema\"\n"));
  ASSERT_TRUE(broken.ok()) << "a broken line is skipped";
  EXPECT_EQ(broken->unreadable_count, 1u);
  EXPECT_FALSE(read_results(write("none.jsonl", "{\"schema\"\n")).ok());
}

TEST_F(EntryFiles, ABrokenLineOfASweepIsNamed) {
  const auto records = read_records(write("sweep.jsonl", line("a.cu") + "{\"schema\"\n" + line("b.cu")));
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().location.line, 2);
  const auto other = read_records(write("sweep.jsonl", line("a.cu") + "{}\n"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().location.line, 2);
}

TEST_F(EntryFiles, ManyBrokenLinesAreTenErrors) {
  std::string broken = line("a.cu");
  for (int i = 0; i < 100; ++i) broken += "{\n";
  EXPECT_EQ(read_records(write("sweep.jsonl", broken)).errors().size(), 10u);
}

TEST_F(EntryFiles, ASweepThatHasJustBegunHasNone) {
  EXPECT_EQ(paths(read_records(write("s.jsonl", ""))), Names{});
}

TEST_F(EntryFiles, OfAFolderAreReadInOrderOfName) {
  write("b/one.json", line("1.cu"));
  write("a.jsonl", line("2.cu") + line("3.cu"));
  write("c.json", "{\"schema\": \"something else\"}");
  write("d.jsonl", "[]\n");
  write(".hidden/e.json", line("4.cu"));
  write("f.txt", "no JSON");
  EXPECT_EQ(paths(read_records(folder_.path())), (Names{"2.cu", "3.cu", "1.cu"}));
}

TEST_F(EntryFiles, ABrokenFileInAFolderIsNotPassedOver) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const auto records = read_records(folder_.path());
  ASSERT_FALSE(records.ok());
  EXPECT_EQ(records.error().location.file, broken.string());
}

TEST_F(EntryFiles, WhatIsBrokenIsLeftOutAndNamed) {
  write("a.json", line("1.cu"));
  const fs::path broken = write("b.json", "{");
  const fs::path sweep = write("c.jsonl", line("2.cu") + "{\n" + line("3.cu"));
  const auto read = read_what_can_be(folder_.path());
  EXPECT_EQ(read->records.size(), 3u);
  ASSERT_EQ(read->unreadable.size(), 2u);
  EXPECT_EQ(read->unreadable[0].location.file, broken.string());
  EXPECT_EQ(read->unreadable[1].location.file, sweep.string());
  EXPECT_EQ(read->unreadable[1].location.line, 2);
  EXPECT_EQ(read->unreadable_count, 2u);
}

TEST_F(EntryFiles, WhatHoldsNoRecordIsAnError) {
  EXPECT_THAT(paths(read_records(write("a.json", "{}")))[0], HasSubstr("is no record of kgrade grade"));
  EXPECT_THAT(paths(read_records(folder_.path()))[0], HasSubstr("holds no record"));
  EXPECT_THAT(paths(read_records(folder_.path() / "none.json"))[0], HasSubstr("no such file"));
}

const Location anywhere{"some.json", 0, 0};

json leaderboard() {
  const json row = {{"candidate", "a.cu"},
                    {"sha256", std::string(64, 'c')},
                    {"message", ""},
                    {"measured_at", "2026-01-02T03:04:05Z"},
                    {"precision", "tf32"},
                    {"device_uuid", "GPU-1"},
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

TEST(LeaderboardReader, GivesTheNewestResults) {
  const auto records = parse_leaderboard(leaderboard().dump(), anywhere);
  ASSERT_TRUE(records.ok()) << to_string(records.errors());
  ASSERT_EQ((*records)->size(), 2u);
  const Record& ranked = (**records)[0];
  EXPECT_EQ(ranked.candidate().path, "a.cu");
  EXPECT_EQ(ranked.dtype, Dtype::float16);
  EXPECT_EQ(ranked.candidate().precision, Precision::tf32);
  EXPECT_TRUE(ranked.device.measures_speed);
  EXPECT_EQ(ranked.reference.sha256, std::string(64, 'b'));
  EXPECT_EQ(ranked.candidate().cases.at(0).speedups.at(0).ratio.interval->high, 2.5);
  EXPECT_EQ((**records)[1].candidate().verdict, Verdict::unstable);
}

TEST(LeaderboardReader, RefusesABrokenLeaderboard) {
  const auto message = [](const std::string& pointer, const json& value) {
    json changed = leaderboard();
    changed[json::json_pointer(pointer)] = value;
    const auto records = parse_leaderboard(changed.dump(), anywhere);
    return records.ok() ? std::string() : records.error().message;
  };
  EXPECT_EQ(message("/boards/0/device", "a toaster"), "/boards/0/device is none of /devices");
  EXPECT_THAT(message("/boards/0/rows/0/cases/0/comparisons/0/speedup", 0),
              HasSubstr("/speedup is 0, which is not"));
  EXPECT_THAT(message("/schema_version", 2), HasSubstr("is a leaderboard of version 2"));
  EXPECT_THAT(message("/unmeasured/0/verdict", 7), HasSubstr("/unmeasured/0/verdict is number"));
  EXPECT_FALSE(*parse_leaderboard("{}", anywhere));
}

// Results in the form that KernelBench's scripts read.

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
  const auto written = json_of_one({record(sample_path(1, 100, 0), 2), record(sample_path(1, 23, 1), 2),
                                    record(sample_path(1, 23, 0), 2), record(sample_path(1, 3, 0), 2)});
  std::vector<std::string> keys;
  for (const auto& [key, samples] : written.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("3", "23", "100"));
  ASSERT_EQ(written["23"].size(), 2u);
  EXPECT_EQ(written["23"][0]["sample_id"], 0);
  EXPECT_EQ(written["23"][1]["sample_id"], 1);
}

TEST(KernelBenchResults, HaveTheKeysThatItsScriptsRead) {
  const auto written = json_of_one({record(sample_path(1, 23, 0), 2)});
  std::vector<std::string> keys;
  for (const auto& [key, value] : written["23"][0].items()) keys.push_back(key);
  EXPECT_THAT(keys,
              ElementsAre("sample_id", "compiled", "correctness", "metadata", "runtime", "runtime_stats"));
  EXPECT_EQ(written["23"][0]["compiled"], true);
  EXPECT_EQ(written["23"][0]["correctness"], true);
  EXPECT_EQ(written["23"][0]["metadata"]["hardware"], "NVIDIA H200");
  EXPECT_EQ(written["23"][0]["metadata"]["kgrade_speedup_reference"]["speedup"], 2);
}

TEST(KernelBenchResults, TimesAreMediansInMilliseconds) {
  const auto written = json_of_one({record(sample_path(1, 23, 0), 2)});
  EXPECT_EQ(written["23"][0]["runtime"], 1);
  EXPECT_EQ(written["23"][0]["runtime_stats"]["median"], 1);
  EXPECT_EQ(written["23"][0]["runtime_stats"]["num_trials"], 60);
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
  const auto written =
      json_of_one({emulated, refused(record(sample_path(1, 23, 1), 1), Verdict::wrong_answer)});
  EXPECT_EQ(written["23"][0]["runtime"], -1.0);
  EXPECT_EQ(written["23"][0]["correctness"], true);
  EXPECT_TRUE(written["23"][0]["runtime_stats"].is_object());
  EXPECT_EQ(written["23"][1]["runtime"], -1.0);
  EXPECT_EQ(written["23"][1]["correctness"], false);
  EXPECT_EQ(written["23"][1]["compiled"], true);
  EXPECT_EQ(written["23"][1]["metadata"]["correctness_issue"], "case 'tiny': all wrong");
}

TEST(KernelBenchResults, SayWhatDidNotCompile) {
  const auto written =
      json_of_one({refused(record(sample_path(1, 23, 0), 1), Verdict::compile_error, "line 3: \xff")});
  EXPECT_EQ(written["23"][0]["compiled"], false);
  EXPECT_EQ(written["23"][0]["correctness"], false);
  EXPECT_THAT(written["23"][0]["metadata"]["compilation_error"].get<std::string>(), HasSubstr("line 3"));
}

TEST(KernelBenchResults, SamplesWithoutANumberGetFreeOnes) {
  Record first = record("runs/mine/1_23_a.py", 1);
  Record second = record("runs/mine/1_23_b.py", 1);
  const auto written = json_of_one({second, record(sample_path(1, 23, 1), 1), first});
  EXPECT_EQ(written["23"][0]["metadata"]["kgrade_candidate"], "runs/mine/1_23_a.py");
  EXPECT_EQ(written["23"][1]["metadata"]["kgrade_candidate"], sample_path(1, 23, 1));
  EXPECT_EQ(written["23"][2]["metadata"]["kgrade_candidate"], "runs/mine/1_23_b.py");
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

}  // namespace kgrade::record_files_test
