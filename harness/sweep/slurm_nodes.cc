#include "sweep/slurm_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace kgrade {

void NodeWatch::look_at(const std::map<std::size_t, SlurmTask>& tasks) {
  for (const auto& [index, task] : tasks) {
    if (!task.node.empty()) last_[index] = task;
  }
}

std::set<std::string> NodeWatch::end_of_job(const std::function<bool(std::size_t)>& has_result) {
  std::set<std::string> failed;
  for (const auto& [index, task] : last_) {
    if (has_result(index)) {
      good_.insert(task.node);
    } else if (task.state == "FAILED") {
      failed.insert(task.node);
    }
  }
  last_.clear();
  std::erase_if(failed,
                [this](const std::string& node) { return good_.contains(node) || excluded_.contains(node); });
  if (good_.empty()) return {};
  excluded_.insert(failed.begin(), failed.end());
  return failed;
}

std::vector<std::string> without_nodes(std::vector<std::string> options, const std::set<std::string>& nodes) {
  constexpr std::string_view exclude = "--exclude=";
  std::string all = fmt::format("{}", fmt::join(nodes, ","));
  if (all.empty()) return options;
  // The last of several counts.
  for (const std::string& option : options) {
    if (option.starts_with(exclude)) all = option.substr(exclude.size()) + "," + all;
    if (option.starts_with("-x") && option.size() > 2) all = option.substr(2) + "," + all;
  }
  options.push_back(std::string(exclude) + all);
  return options;
}

}  // namespace kgrade
