// A sweep that is cut into chunks, which run elsewhere. One file describes the work of each chunk. The
// results files of the chunks are read as they grow. All files are in one folder that all machines see.
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
  std::vector<std::size_t> tasks;  // indices into the plan's tasks
};

// Cuts the tasks into chunks of `in_each` tasks, with as few groups per chunk as possible. Chunks are larger
// if there would be more than `most`.
std::vector<Chunk> cut(const SweepPlan& plan, const std::vector<std::size_t>& tasks, std::size_t in_each,
                       std::size_t most);

struct ChunkedPlan {
  LaneOptions options;
  SweepPlan plan;
  std::vector<Chunk> chunks;
};

// Writes the plan as JSON and reads it back. Reading loads the problem files. Errors: a problem file is
// wrong, or the file is not such a plan.
std::string to_text(const ChunkedPlan& plan);
Result<ChunkedPlan> read_chunked_plan(const std::filesystem::path& path);

// The results file of a run of a chunk, and the file of its candidates without a verdict. A chunk is run
// again if its machine was lost. The new run writes its own files, because the first run may still be
// writing.
std::filesystem::path results_of_chunk(const std::filesystem::path& folder, std::size_t round,
                                       std::size_t chunk, int restart);
// The round and the chunk of a results file. Nothing for other names.
std::optional<std::pair<std::size_t, std::size_t>> chunk_of_results(const std::filesystem::path& results);
std::filesystem::path failures_of_chunk(const std::filesystem::path& results);
// The newest message for each path of a candidate, from all files of failures.
std::map<std::string, std::string> read_failures(const std::filesystem::path& folder);
// The results files of all rounds and restarts, in order of name.
std::vector<std::filesystem::path> all_results(const std::filesystem::path& folder);

// Removes the plan, results, failures and logs of a sweep by Slurm, and no other files in the folder.
void remove_chunk_files(const std::filesystem::path& folder);

// Grades the rest of a chunk after its earlier runs. Prints a line on stderr for each result. Returns the
// exit code. Errors: a plan that cannot be read, and the errors of sweep().
Result<int> run_chunk(const std::filesystem::path& plan_file, std::size_t round, std::size_t chunk,
                      int restart);

// A file that another process writes line by line.
class GrowingFile {
 public:
  // The lines that were finished since the last call. `path` must always be the same file. An unfinished line
  // is returned by a later call.
  std::vector<std::string> new_lines(const std::filesystem::path& path);
  // True if the file has ever given a line.
  bool had_lines() const { return begin_ > 0; }

 private:
  std::uint64_t begin_ = 0;  // of the unfinished part
};

// The longest delay, in seconds, until a shared file system shows what was written.
constexpr double late_results = 60;

// Reads the results of a sweep by Slurm as its tasks write them.
class ChunkResults {
 public:
  struct Line {
    std::filesystem::path file;
    std::string text;
  };

  explicit ChunkResults(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The whole lines since the last call. Opens each file, because a shared file system may report its size
  // late.
  std::vector<Line> new_lines();
  // True if any run of the chunk has written a line.
  bool has_any(std::size_t round, std::size_t chunk) const;
  // Notes whether the chunk's task has ended, as Slurm reports at time `now`, in seconds. When late_results
  // seconds have passed since the end, no more results are expected, and the files are no longer read. They
  // are read again if the task runs again, because a user may requeue it.
  void task_state(std::size_t round, std::size_t chunk, bool ended, double now);

 private:
  std::filesystem::path folder_;
  std::map<std::filesystem::path, GrowingFile> files_;
  std::map<std::pair<std::size_t, std::size_t>, double> ended_;  // when the end was first known
  std::set<std::pair<std::size_t, std::size_t>> settled_;
};

}  // namespace kgrade
