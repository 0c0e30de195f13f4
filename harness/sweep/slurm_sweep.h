// A sweep that runs on Slurm, as an array of tasks. Each task has one GPU and a chunk of the candidates.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace kgrade {

struct SlurmOptions {
  std::size_t chunk = 8;             // candidates in a task; more if the array would be too large
  std::vector<std::string> options;  // for sbatch, passed on unchanged
  std::filesystem::path program;     // the path of kgrade on the nodes
  double poll_seconds = 5;
  double held_seconds = 600;  // how long a job may be held before it is cancelled
};

// The folder beside the results that holds the plan, the logs and the tasks' own results. All nodes must see
// it.
std::filesystem::path slurm_folder(const std::filesystem::path& results);

// Submits the tasks without a result in the file, follows the job, and collects results as they come. If a
// node is lost, Slurm requeues its task, which continues where it was. When all tasks have ended, candidates
// without a result are submitted again, up to three times in all, without the nodes on which every task
// failed. A sweep that is resumed follows the job that still runs, even if the sweep was killed during
// submission. Errors: there is no Slurm, sbatch refuses, the controller does not answer for ten minutes, or a
// folder cannot be written. `options.devices` has one entry, for each task.
Result<SweepOutcome> sweep_by_slurm(const SweepPlan& plan, const SweepOptions& options,
                                    const SlurmOptions& slurm, ResultFile& results);

}  // namespace kgrade
