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
  // Waits for a person, or for what will never be: JobHeldUser, BadConstraints.
  bool held() const;
};

class SlurmClient {
 public:
  // The number of the job. Errors: there is no Slurm, or what sbatch says, word by word; the job may be there
  // all the same, where the answer came too late.
  Result<std::string> submit(const SlurmArray& array) const;
  // The number of the newest job of that name that the controller knows, ended or not. An Error when it does
  // not answer.
  Result<std::optional<std::string>> find(const std::string& name) const;
  // The tasks that the controller knows, by index; none when it has forgotten the job: all have ended then.
  // An Error when it does not answer, which says nothing about the job.
  Result<std::map<std::size_t, SlurmTask>> tasks(const std::string& job) const;
  // Of a task that waits_for_nothing().
  void start_now(const std::string& job, std::size_t task) const;
  // All tasks that have not ended.
  void cancel(const std::string& job) const;
  // Indexes of an array are below this.
  std::size_t largest_array() const;
  // "exit code 7" or "signal 11" of a task that has ended; empty where that is not known.
  std::string how_ended(const std::string& job, std::size_t task) const;
};

// What squeue prints for --format=%i|%T|%r|%N. Lines of other jobs and other shapes are passed over.
std::map<std::size_t, SlurmTask> read_tasks(const std::string& output, const std::string& job);
bool all_ended(const std::map<std::size_t, SlurmTask>& tasks);
// Why those of the tasks that have not ended are all held(): the first one's reason; empty where one is not,
// or all have ended.
std::string why_held(const std::map<std::size_t, SlurmTask>& tasks);
// MaxArraySize out of `scontrol show config`; Slurm's default where it is not there.
std::size_t read_largest_array(const std::string& output);

}  // namespace kgrade
