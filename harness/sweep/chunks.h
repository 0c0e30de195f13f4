// A sweep cut into chunks that run elsewhere: the file that says what each has to do, and the files that each
// leaves, read as they grow. All lie in one folder that all machines see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sweep/lane.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

namespace kgrade {

struct Chunk {
  std::vector<std::size_t> tasks;  // of the plan
};

// So many tasks in each, of as few groups as that allows; more where there would be over `most` chunks.
std::vector<Chunk> cut(const SweepPlan& plan, const std::vector<std::size_t>& tasks, std::size_t in_each,
                       std::size_t most);

struct ChunkedPlan {
  LaneOptions options;
  SweepPlan plan;
  std::vector<Chunk> chunks;
};

// As JSON, and back. Reading loads the problem files: Errors are theirs, or say that the file is none of
// ours.
std::string to_text(const ChunkedPlan& plan);
Result<ChunkedPlan> read_chunked_plan(const std::filesystem::path& path);

// What a run of a chunk writes: results, and below them candidates without a verdict. A chunk that is run
// again, since its machine was lost, writes files of its own: the first run may not know that it is given up.
std::filesystem::path results_of_chunk(const std::filesystem::path& folder, std::size_t round,
                                       std::size_t chunk, int restart);
// Round and chunk of such a file; none of other names.
std::optional<std::pair<std::size_t, std::size_t>> chunk_of_results(const std::filesystem::path& results);
std::filesystem::path failures_of_chunk(const std::filesystem::path& results);
// What all files of failures say: the newest message by the candidate's path.
std::map<std::string, std::string> read_failures(const std::filesystem::path& folder);
// Of all rounds and restarts, in order of name.
std::vector<std::filesystem::path> all_results(const std::filesystem::path& folder);

// Removes plan, results, failures and logs of a sweep by Slurm, and nothing else that may lie there.
void remove_chunk_files(const std::filesystem::path& folder);

// Grades what is left of a chunk after its earlier runs, with a line on stderr for each result. Returns the
// exit code. Errors: a plan that cannot be read, and those of sweep().
Result<int> run_chunk(const std::filesystem::path& plan_file, std::size_t round, std::size_t chunk,
                      int restart);

// A file that another process writes to, line by line.
class GrowingFile {
 public:
  // Lines that were finished since the last call, always of the same file; a line that is still being written
  // is for a later one.
  std::vector<std::string> new_lines(const std::filesystem::path& path);
  // Whether it has ever given one.
  bool had_lines() const { return begin_ > 0; }

 private:
  std::uint64_t begin_ = 0;  // of what was not finished
};

// A shared file system may show what was written that much later, in seconds.
constexpr double late_results = 60;

// The results that the tasks of a sweep by Slurm write, read as they come.
class ChunkResults {
 public:
  struct Line {
    std::filesystem::path file;
    std::string text;
  };

  explicit ChunkResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Whole lines that have come since the last call. Each file is opened, since a shared file system may be
  // late with its size.
  std::vector<Line> new_lines();
  // Whether that chunk has written a line, in any of its runs.
  bool has_any(std::size_t round, std::size_t chunk) const;
  // Takes note whether the chunk's task has ended, as Slurm says at `now`, in seconds. late_results after the
  // end no more results are expected, and its files are not read until it runs again: a user may requeue it.
  void task_state(std::size_t round, std::size_t chunk, bool ended, double now);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, GrowingFile> files_;
  std::map<std::pair<std::size_t, std::size_t>, double> ended_;  // when that was first known
  std::set<std::pair<std::size_t, std::size_t>> settled_;
};

}  // namespace kgrade
