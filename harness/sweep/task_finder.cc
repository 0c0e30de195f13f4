#include "sweep/task_finder.h"

#include <algorithm>

namespace kgrade {

TaskFinder::TaskFinder(const SweepPlan& plan, Effort effort) : plan_(plan), effort_(effort) {
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    by_path_.emplace(plan.tasks[task].candidate.string(), task);
}

bool TaskFinder::fits(const Record& record, std::size_t task) const {
  const Problem& problem = plan_.groups[plan_.tasks[task].group].problem;
  return record.problem_slug == problem.slug && record.problem_sha256 == problem.content_sha256 &&
         record.dtype == problem.dtype && record.required_precision == precision_from(problem.precision) &&
         record.candidate().sha256 == plan_.tasks[task].sha256 && record.effort == effort_;
}

std::optional<std::size_t> TaskFinder::find(const Record& record) const {
  const auto [first, last] = by_path_.equal_range(record.candidate().path);
  const auto found =
      std::find_if(first, last, [&](const auto& candidate) { return fits(record, candidate.second); });
  if (found == last) return std::nullopt;
  return found->second;
}

}  // namespace kgrade
