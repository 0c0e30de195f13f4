// Slurm's own commands (sbatch, squeue, scontrol), and what they print. Nothing of a scheduler is done here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// An array of tasks, to be run as `script INDEX` each.
struct SlurmArray {
  std::string name;
  std::filesystem::path script;
  std::filesystem::path logs;  // the folder; a file a task
  std::size_t tasks = 0;
  std::vector<std::string> options;  // of sbatch: "--partition=gpu"
};

struct SlurmTask {
  std::string state;   // "RUNNING", as squeue names it
  std::string reason;  // "BeginTime"; no cause of an end
  std::string node;
  bool ended() const;
  // Held back for two minutes after its node was lost, though others could run it at once.
  bool waits_for_nothing() const;
};

class SlurmClient {
 public:
  // The number of the job. Errors: there is no Slurm, or what sbatch says, word by word.
  Result<std::string> submit(const SlurmArray& array) const;
  // The tasks that the controller knows, by index; none when it has forgotten the job: all have ended then.
  // An Error when it does not answer, which says nothing about the job.
  Result<std::map<std::size_t, SlurmTask>> tasks(const std::string& job) const;
  // Of a task that waits_for_nothing().
  void start_now(const std::string& job, std::size_t task) const;
  // Indexes of an array are below this.
  std::size_t largest_array() const;
  // "exit code 7" or "signal 11" of a task that has ended; empty where that is not known.
  std::string how_ended(const std::string& job, std::size_t task) const;
};

// What squeue prints for --format=%i|%T|%r|%N. Lines of other jobs and other shapes are passed over.
std::map<std::size_t, SlurmTask> read_tasks(const std::string& output, const std::string& job);
// MaxArraySize out of `scontrol show config`; Slurm's default where it is not there.
std::size_t read_largest_array(const std::string& output);

}  // namespace kgrade
