// Results and the tasks of a plan that they are of.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "record/record.h"
#include "sweep/plan.h"

namespace kgrade {

// Which task a result is of: the same problem, type, class asked for, candidate and effort. Not by device: a
// file that mixes GPUs names the device of each result.
class TaskFinder {
 public:
  // Keeps a reference.
  TaskFinder(const SweepPlan& plan, Effort effort);
  std::optional<std::size_t> find(const Record& record) const;
  // Whether a task is of the candidate with that path.
  bool knows(const std::string& path) const { return by_path_.contains(path); }

 private:
  bool fits(const Record& record, std::size_t task) const;

  const SweepPlan& plan_;
  Effort effort_;
  std::unordered_multimap<std::string, std::size_t> by_path_;
};

}  // namespace kgrade
