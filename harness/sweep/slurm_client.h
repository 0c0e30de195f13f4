// Slurm as a sweep sees it: its own commands (sbatch, squeue, scontrol) and what they print, the job that a
// sweep has submitted, and the nodes that it avoids.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

// --- Slurm's commands ---

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
  // Waits for a person, or for a condition that will never hold: JobHeldUser, BadConstraints.
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

// --- The job of a sweep ---

struct SlurmJob {
  std::string name;  // of this one submission alone
  std::string id;    // empty: it may have been submitted or not
  std::size_t round = 0;
};

// "kgrade-nightly-1f0c9a2b" of "nightly.jsonl": without what squeue would take for two names.
std::string new_job_name(const std::filesystem::path& results);

// Errors: those of writing.
Result<bool> write_job(const std::filesystem::path& path, const SlurmJob& job);
// None where there is no such file, or it is not of that form.
std::optional<SlurmJob> read_slurm_job(const std::filesystem::path& path);

// What each task of the array runs: its chunk of that plan. Errors: those of writing.
Result<bool> write_task_script(const std::filesystem::path& script, const std::filesystem::path& program,
                               const std::filesystem::path& plan, std::size_t round);

// Submits, and writes the file before and after, so that a kill at any moment leaves a job that can be found.
// The job's number. Errors: those of writing, and what sbatch says.
Result<std::string> submit_noted(const std::filesystem::path& path, std::size_t round,
                                 const SlurmClient& client, const SlurmArray& array);
// The job's number; empty where it never came to be, or Slurm has forgotten it. An Error where the controller
// does not answer.
Result<std::string> id_of(const SlurmJob& job, const SlurmClient& client);

// --- Nodes ---

// A node whose GPU or driver is broken ends its tasks at once, takes the next ones, and so empties an array
// while others grade.
class NodeWatch {
 public:
  // What Slurm says of the tasks of a job, each time anew: it forgets those that have ended.
  void look_at(const std::map<std::size_t, SlurmTask>& tasks);
  // At the end of the job: nodes on which every task failed without a result, where tasks on other nodes had
  // some, now or in an earlier job. Only those that were not named before.
  std::set<std::string> end_of_job(const std::function<bool(std::size_t task)>& has_result);
  // All that were named.
  const std::set<std::string>& excluded() const { return excluded_; }

 private:
  std::map<std::size_t, SlurmTask> last_;  // that was known of each
  std::set<std::string> good_;
  std::set<std::string> excluded_;
};

// Options of sbatch, with those nodes excluded beside the ones that they exclude already.
std::vector<std::string> without_nodes(std::vector<std::string> options, const std::set<std::string>& nodes);

}  // namespace kgrade
