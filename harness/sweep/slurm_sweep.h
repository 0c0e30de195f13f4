// A sweep whose work is handed to Slurm: an array of tasks, each with one GPU and a chunk of the candidates.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace kgrade {

struct SlurmOptions {
  std::size_t chunk = 8;             // candidates in a task, or more where the array would be too large
  std::vector<std::string> options;  // of sbatch, passed on as they are
  std::filesystem::path program;     // kgrade, where the nodes find it
  double poll_seconds = 5;
  double held_seconds = 600;  // that a job may be held before it is cancelled
};

// The folder beside the results where plan, logs and the tasks' own results lie; all nodes must see it.
std::filesystem::path slurm_folder(const std::filesystem::path& results);

// Submits what has no result in the file yet, follows it and collects the results as they come. A task whose
// node is lost is requeued by Slurm, and goes on where it was; what has no result when all tasks have ended
// is submitted again, three times in all, without the nodes on which all failed. A sweep that was left and is
// resumed follows the job that still runs, also where the kill came while it was handed over. Errors: no
// Slurm, what sbatch refuses, a controller that does not answer for ten minutes, a folder that cannot be
// written. `options.devices` has one: each task's.
Result<SweepOutcome> sweep_by_slurm(const SweepPlan& plan, const SweepOptions& options,
                                    const SlurmOptions& slurm, ResultFile& results);

}  // namespace kgrade
