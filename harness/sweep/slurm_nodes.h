// Nodes of a cluster on which nothing is graded.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sweep/slurm_client.h"

namespace kgrade {

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
