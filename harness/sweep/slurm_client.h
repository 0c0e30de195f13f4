// Slurm for a sweep: its commands (sbatch, squeue, scontrol) and their outputs, the job that a sweep has
// submitted, and the nodes that the sweep avoids.
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

// An array of tasks. Each runs `script INDEX`.
struct SlurmArray {
  std::string name;
  std::filesystem::path script;
  std::filesystem::path logs;  // a folder with one file per task
  std::size_t tasks = 0;
  std::vector<std::string> options;  // for sbatch: "--partition=gpu"
};

struct SlurmTask {
  std::string state;   // "RUNNING", as squeue names it
  std::string reason;  // why it waits: "BeginTime"; meaningless once it has ended
  std::string node;
  bool ended() const;
  // True if Slurm holds the task back for two minutes after its node was lost, though other nodes could run
  // it at once.
  bool waits_for_nothing() const;
  // True if the task waits for a person, or for a condition that will never hold: JobHeldUser,
  // BadConstraints.
  bool held() const;
};

class SlurmClient {
 public:
  // Submits the array and returns the number of the job. Errors: there is no Slurm, or sbatch's own message.
  // The job may exist in spite of an Error, if the answer came too late.
  Result<std::string> submit(const SlurmArray& array) const;
  // The number of the newest job of that name that the controller knows, running or ended. An Error if the
  // controller does not answer.
  Result<std::optional<std::string>> find(const std::string& name) const;
  // The tasks that the controller knows, by index. Empty if it has forgotten the job, because all tasks have
  // ended. An Error if the controller does not answer, which says nothing about the job.
  Result<std::map<std::size_t, SlurmTask>> tasks(const std::string& job) const;
  // Starts a task that waits_for_nothing().
  void start_now(const std::string& job, std::size_t task) const;
  // Cancels all tasks that have not ended.
  void cancel(const std::string& job) const;
  // The indices of an array must be below this number.
  std::size_t largest_array() const;
  // "exit code 7" or "signal 11" for a task that has ended. Empty if unknown.
  std::string how_ended(const std::string& job, std::size_t task) const;
};

// Reads the output of squeue with --format=%i|%T|%r|%N. Ignores lines of other jobs or in other forms.
std::map<std::size_t, SlurmTask> read_tasks(const std::string& output, const std::string& job);
bool all_ended(const std::map<std::size_t, SlurmTask>& tasks);
// If all tasks that have not ended are held(), the reason of the first. Empty if one is not held, or if all
// have ended.
std::string why_held(const std::map<std::size_t, SlurmTask>& tasks);
// MaxArraySize from `scontrol show config`, or Slurm's default if it is not there.
std::size_t read_largest_array(const std::string& output);

// --- The job of a sweep ---

struct SlurmJob {
  std::string name;  // unique to this submission
  std::string id;    // empty: unknown whether it was submitted
  std::size_t round = 0;
};

// "kgrade-nightly-1f0c9a2b" for "nightly.jsonl". Characters that squeue would read as a separator of names
// are left out.
std::string new_job_name(const std::filesystem::path& results);

// Errors: the file cannot be written.
Result<bool> write_job(const std::filesystem::path& path, const SlurmJob& job);
// Nothing if there is no such file, or if it has another form.
std::optional<SlurmJob> read_slurm_job(const std::filesystem::path& path);

// Writes the script of the array's tasks. Each task runs its chunk of the plan. Errors: the script cannot be
// written.
Result<bool> write_task_script(const std::filesystem::path& script, const std::filesystem::path& program,
                               const std::filesystem::path& plan, std::size_t round);

// Submits the array and returns the job's number. Writes the file before and after, so that after a kill at
// any moment the job can be found. Errors: the file cannot be written, or sbatch's message.
Result<std::string> submit_noted(const std::filesystem::path& path, std::size_t round,
                                 const SlurmClient& client, const SlurmArray& array);
// The job's number. Empty if the job was never made, or if Slurm has forgotten it. An Error if the controller
// does not answer.
Result<std::string> id_of(const SlurmJob& job, const SlurmClient& client);

// --- Nodes ---

// Finds broken nodes. If the GPU or the driver of a node is broken, its tasks end at once, and it takes the
// next ones. So it empties an array while other nodes grade.
class NodeWatch {
 public:
  // Call with each new report of Slurm on the tasks of a job. Slurm forgets tasks that have ended.
  void look_at(const std::map<std::size_t, SlurmTask>& tasks);
  // Call at the end of the job. Returns the nodes on which every task failed without a result, if tasks on
  // other nodes had results, now or in an earlier job. Nodes that were returned before are left out.
  std::set<std::string> end_of_job(const std::function<bool(std::size_t task)>& has_result);
  // All nodes that were returned.
  const std::set<std::string>& excluded() const { return excluded_; }

 private:
  std::map<std::size_t, SlurmTask> last_;  // the latest report on each task
  std::set<std::string> good_;
  std::set<std::string> excluded_;
};

// Options of sbatch that exclude these nodes, in addition to the nodes that `options` excludes.
std::vector<std::string> without_nodes(std::vector<std::string> options, const std::set<std::string>& nodes);

}  // namespace kgrade
