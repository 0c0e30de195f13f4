// A sweep cut into chunks that run elsewhere: the file that says what each has to do, and the files that each
// leaves. All lie in one folder that all machines see.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
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
// What all of them say: the newest message by the candidate's path.
std::map<std::string, std::string> read_failures(const std::filesystem::path& folder);
// Of all rounds and restarts, in order of name.
std::vector<std::filesystem::path> all_results(const std::filesystem::path& folder);

// Removes plan, results, failures and logs of a sweep by Slurm, and nothing else that may lie there.
void remove_chunk_files(const std::filesystem::path& folder);

// Grades what is left of a chunk after its earlier runs, with a line on stderr for each result. Returns the
// exit code. Errors: a plan that cannot be read, and those of sweep().
Result<int> run_chunk(const std::filesystem::path& plan_file, std::size_t round, std::size_t chunk,
                      int restart);

}  // namespace kgrade
