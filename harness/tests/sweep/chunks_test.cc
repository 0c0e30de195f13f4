// A sweep in pieces: how it is divided, and the file that says so.
#include "sweep/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/declarations.h"
#include "sweep/slurm_client.h"

namespace kgrade {
namespace chunks_test {

namespace fs = std::filesystem;

std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Tasks of three groups in turn.
SweepPlan mixed_plan(std::size_t tasks) {
  SweepPlan plan;
  plan.groups.resize(3);
  for (std::size_t task = 0; task < tasks; ++task) plan.tasks.push_back({task % 3, "c.cu", ""});
  return plan;
}

TEST(Cut, GivesEveryTaskOnceAndGroupsTogether) {
  const SweepPlan plan = mixed_plan(20);
  const auto chunks = cut(plan, numbers(20), 6, 1000);
  ASSERT_EQ(chunks.size(), 4u);
  std::vector<std::size_t> all;
  for (const Chunk& chunk : chunks) {
    EXPECT_LE(chunk.tasks.size(), 6u);
    all.insert(all.end(), chunk.tasks.begin(), chunk.tasks.end());
  }
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
    return plan.tasks[a].group < plan.tasks[b].group;
  }));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(20));
}

TEST(Cut, MakesChunksLargerWhereTheyWouldBeTooMany) {
  const auto chunks = cut(mixed_plan(2500), numbers(2500), 1, 1001);
  EXPECT_EQ(chunks.size(), 834u) << "of three each";
  EXPECT_EQ(cut(mixed_plan(5), numbers(5), 1, 1).size(), 1u);
  EXPECT_TRUE(cut(mixed_plan(5), {}, 1, 1).empty());
}

class ChunkedPlanTest : public testing::Test {
 protected:
  ChunkedPlan plan() {
    ChunkedPlan plan;
    const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
    const auto problem = load_problem(fs::path(KGRADE_SOURCE_DIR) / "problems" / (slug + ".md"));
    EXPECT_TRUE(problem);
    plan.plan.groups.push_back({*with_dtype(*problem, "bfloat16")});
    plan.plan.groups.push_back({*with_precision(*with_dtype(*problem, "bfloat16"), "tf32")});
    plan.plan.tasks = {{0, "a b/'c'.cu", "12"}, {0, "d.cu", "34"}, {1, "e.cu", "56"}};
    plan.chunks = {{{1}}, {{0}}};
    plan.options.effort = Effort::quick;
    plan.options.seed = 18446744073709551615u;
    plan.options.device = "emulated";
    return plan;
  }

  Result<ChunkedPlan> read(const std::string& text) {
    EXPECT_TRUE(write_file_atomically(path_, text));
    return read_chunked_plan(path_);
  }

  TemporaryDirectory folder_;
  fs::path path_ = folder_.path() / "plan.json";
};

TEST_F(ChunkedPlanTest, ComesBackFromItsFile) {
  const auto back = read(to_text(plan()));
  ASSERT_TRUE(back) << to_string(back.errors());
  ASSERT_EQ(back->plan.groups.size(), 2u);
  for (const SweepGroup& group : back->plan.groups) EXPECT_EQ(group.problem.dtype, Dtype::bfloat16);
  EXPECT_EQ(back->plan.groups[0].problem.precision, "fp32");
  EXPECT_EQ(back->plan.groups[1].problem.precision, "tf32");
  ASSERT_EQ(back->plan.tasks.size(), 3u);
  EXPECT_EQ(back->plan.tasks[1].group, 0u);
  EXPECT_EQ(back->plan.tasks[2].group, 1u);
  EXPECT_EQ(back->plan.tasks[0].candidate, "a b/'c'.cu");
  EXPECT_EQ(back->plan.tasks[1].sha256, "34");
  ASSERT_EQ(back->chunks.size(), 2u);
  EXPECT_EQ(back->chunks[0].tasks, std::vector<std::size_t>{1});
  EXPECT_EQ(back->options.effort, Effort::quick);
  EXPECT_EQ(back->options.seed, 18446744073709551615u);
  EXPECT_EQ(back->options.device, "emulated");
}

TEST_F(ChunkedPlanTest, RefusesWhatIsNone) {
  for (const std::string& text : {std::string(), std::string("{}"), std::string("[1]"),
                                  replace_all(to_text(plan()), "\"tasks\"", "\"t\"")}) {
    const auto back = read(text);
    ASSERT_FALSE(back) << text;
    EXPECT_THAT(back.error().message, testing::HasSubstr("no plan"));
  }
  ChunkedPlan wrong = plan();
  wrong.chunks.push_back({{7}});
  EXPECT_FALSE(read(to_text(wrong)));
}

TEST(ChunkFiles, OfEveryRoundAndRunAreKeptApart) {
  const fs::path first = results_of_chunk("f", 0, 3, 0);
  EXPECT_EQ(first, "f/round0-chunk00003-run0.jsonl");
  EXPECT_NE(first, results_of_chunk("f", 0, 3, 1));
  EXPECT_NE(first, results_of_chunk("f", 1, 3, 0));
  EXPECT_EQ(failures_of_chunk(first), "f/round0-chunk00003-run0.failures");
}

TEST(ReadFailures, TakesTheNewestAndWhatIsWellFormed) {
  const TemporaryDirectory folder;
  const auto fail = [&](std::size_t round, const std::string& text) {
    const fs::path results = results_of_chunk(folder.path(), round, 0, 0);
    EXPECT_TRUE(write_file_atomically(results, ""));
    EXPECT_TRUE(write_file_atomically(failures_of_chunk(results), text));
  };
  fail(0, "{\"candidate\": \"a.cu\", \"message\": \"old\"}\nno JSON\n[]\n{\"candidate\": 1}\n");
  fail(1, "{\"candidate\": \"a.cu\", \"message\": \"new\"}\n");
  EXPECT_TRUE(write_file_atomically(results_of_chunk(folder.path(), 2, 0, 0), ""));
  EXPECT_EQ(read_failures(folder.path()).at("a.cu"), "new");
}

TEST(RemoveChunkFiles, LeavesWhatIsNoneOfASweeps) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() / "logs");
  for (const char* name : {"plan0.json", "job.json", "task.sh", "round0-chunk00001-run0.jsonl",
                           "logs/12_3.log", "notes", "logs/notes.log", "other.jsonl"})
    EXPECT_TRUE(write_file_atomically(folder.path() / name, "x"));
  remove_chunk_files(folder.path());
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    left.push_back(entry.path().lexically_relative(folder.path()).string());
  EXPECT_THAT(left, testing::UnorderedElementsAre("logs", "logs/notes.log", "notes", "other.jsonl"));
}

TEST(GrowingFile, GivesEachLineOnceWhenItIsFinished) {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "lines";
  GrowingFile file;
  EXPECT_TRUE(file.new_lines(path).empty()) << "it is not there yet";
  std::ofstream(path) << "one\ntw";
  EXPECT_THAT(file.new_lines(path), testing::ElementsAre("one"));
  EXPECT_TRUE(file.new_lines(path).empty());
  std::ofstream(path, std::ios::app) << "o\n\nthree\n";
  EXPECT_THAT(file.new_lines(path), testing::ElementsAre("two", "", "three"));
}

TEST(ChunkOfResults, IsReadFromTheName) {
  EXPECT_EQ(chunk_of_results(results_of_chunk("/f", 2, 123456, 7)),
            (std::pair<std::size_t, std::size_t>(2, 123456)));
  for (const char* other : {"job.json", "round1-chunk2-run3.failures", "round-chunk2-run3.jsonl",
                            "my-round1-chunk2-run3.jsonl", "round1-chunk99999999999999999999-run3.jsonl"})
    EXPECT_EQ(chunk_of_results(other), std::nullopt) << other;
}

TEST(ChunkResults, LeavesSettledChunksAloneUntilTheyRunOnceMore) {
  const TemporaryDirectory folder;
  const auto add = [&](std::size_t chunk, int restart, const char* text) {
    std::ofstream(results_of_chunk(folder.path(), 0, chunk, restart), std::ios::app) << text;
  };
  const auto texts = [](const std::vector<ChunkResults::Line>& lines) {
    std::vector<std::string> all;
    for (const auto& line : lines) all.push_back(line.text);
    return all;
  };
  ChunkResults results(folder.path());
  results.task_state(0, 0, true, 10);
  results.task_state(0, 0, true, 10 + late_results);  // it may still be late
  add(0, 0, "a\nb");
  add(1, 0, "c\n");
  EXPECT_THAT(texts(results.new_lines()), testing::ElementsAre("a", "c"));
  results.task_state(0, 1, true, 10);
  results.task_state(0, 1, true, 11 + late_results);
  add(0, 0, "B\n");
  add(1, 0, "late\n");
  EXPECT_THAT(texts(results.new_lines()), testing::ElementsAre("bB"));
  results.task_state(0, 1, false, 12 + late_results);
  add(1, 1, "again\n");
  EXPECT_THAT(texts(results.new_lines()), testing::ElementsAre("late", "again"));
}

TEST(JobFile, ComesBackAsItWasWritten) {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "job.json";
  EXPECT_FALSE(read_slurm_job(path));
  for (const char* id : {"", "17"}) {
    ASSERT_TRUE(write_job(path, {"kgrade-x-1", id, 3}));
    const auto job = read_slurm_job(path);
    ASSERT_TRUE(job);
    EXPECT_EQ(job->name, "kgrade-x-1");
    EXPECT_EQ(job->id, id);
    EXPECT_EQ(job->round, 3u);
  }
  for (const char* text : {"", "{}", "[1]", R"({"name": "x", "job": 5, "round": 0})",
                           R"({"name": "x", "job": "5", "round": "0"})"}) {
    std::ofstream(path) << text;
    EXPECT_FALSE(read_slurm_job(path)) << text;
  }
}

TEST(JobFile, NamesAreOfOneSubmissionAndHoldNoSeparator) {
  const std::string name = new_job_name("/a/my results, new.jsonl");
  EXPECT_THAT(name, testing::MatchesRegex("kgrade-my_results__new-[0-9a-f]+"));
  EXPECT_NE(name, new_job_name("/a/my results, new.jsonl"));
}

}  // namespace chunks_test
}  // namespace kgrade
