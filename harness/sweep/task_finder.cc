#include "sweep/task_finder.h"

#include <algorithm>

namespace kgrade {

TaskFinder::TaskFinder(const SweepPlan& plan, Effort effort) : plan_(plan), effort_(effort) {
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    by_path_.emplace(plan.tasks[task].candidate.string(), task);
}

bool TaskFinder::fits(const Entry& entry, std::size_t task) const {
  const Problem& problem = plan_.groups[plan_.tasks[task].group].problem;
  return entry.slug == problem.slug && entry.problem_sha256 == problem.content_sha256 &&
         entry.dtype == problem.dtype && entry.required == precision_from(problem.precision) &&
         entry.sha256 == plan_.tasks[task].sha256 && entry.effort == to_string(effort_);
}

std::optional<std::size_t> TaskFinder::find(const Entry& entry) const {
  const auto [first, last] = by_path_.equal_range(entry.path);
  const auto found =
      std::find_if(first, last, [&](const auto& candidate) { return fits(entry, candidate.second); });
  if (found == last) return std::nullopt;
  return found->second;
}

}  // namespace kgrade
