#include "sweep/queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kgrade {
namespace {

constexpr int most_attempts = 2;
constexpr std::size_t most_refusals = 3;

}  // namespace

SweepQueue::SweepQueue(const std::vector<std::optional<std::size_t>>& group_of, std::size_t lanes)
    : lanes_(std::max<std::size_t>(1, lanes)) {
  for (std::size_t task = 0; task < group_of.size(); ++task) {
    if (!group_of[task]) continue;
    groups_[*group_of[task]].fresh.push_back(task);
    left_ += 1;
  }
}

SweepQueue::Groups::iterator SweepQueue::choose(std::optional<std::size_t> last,
                                                const std::set<std::size_t>& avoided, const IsLate& is_late) {
  const auto has_ready = [&is_late](const Group& group) {
    return !group.suspects.empty() ||
           std::any_of(group.fresh.begin(), group.fresh.end(),
                       [&is_late](std::size_t task) { return !is_late || !is_late(task); });
  };
  const auto rank = [&](const auto& group) {
    const std::size_t waiting = group.second.waiting();
    const bool is_wanted = waiting > 0 && !avoided.contains(group.first);
    return std::tuple(is_wanted, has_ready(group.second), is_wanted && group.first == last, waiting);
  };
  return std::max_element(groups_.begin(), groups_.end(),
                          [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

std::optional<SweepBatch> SweepQueue::take(std::optional<std::size_t> last,
                                           const std::set<std::size_t>& avoided, const IsLate& is_late) {
  const auto found = choose(last, avoided, is_late);
  if (found == groups_.end() || found->second.waiting() == 0) return std::nullopt;
  Group& group = found->second;
  SweepBatch batch{found->first, {}};
  if (group.fresh.empty()) {
    batch.tasks = {group.suspects.front()};
    group.suspects.pop_front();
    return batch;
  }
  // What is still being built comes last in the batch, or in a later one.
  const auto late =
      std::stable_partition(group.fresh.begin(), group.fresh.end(),
                            [&is_late](std::size_t task) { return !is_late || !is_late(task); });
  const auto ready = static_cast<std::size_t>(late - group.fresh.begin());
  const std::size_t share = (group.fresh.size() + lanes_ - 1) / lanes_;
  const std::size_t most = ready > 0 ? std::min(ready, largest_batch) : largest_batch;
  const auto count = static_cast<std::ptrdiff_t>(std::min(share, most));
  batch.tasks.assign(group.fresh.begin(), group.fresh.begin() + count);
  group.fresh.erase(group.fresh.begin(), group.fresh.begin() + count);
  return batch;
}

std::vector<std::size_t> SweepQueue::upcoming(const std::vector<std::size_t>& current,
                                              std::size_t most) const {
  std::vector<const Groups::value_type*> order;
  for (const auto& group : groups_) order.push_back(&group);
  const auto rank = [&](const Groups::value_type* group) {
    const bool is_current = std::find(current.begin(), current.end(), group->first) != current.end();
    return std::pair(is_current, group->second.waiting());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  std::vector<std::size_t> tasks;
  for (const auto* group : order) {
    for (const std::size_t task : group->second.fresh) {
      if (tasks.size() >= most) return tasks;
      tasks.push_back(task);
    }
  }
  return tasks;
}

void SweepQueue::finished(std::size_t) { left_ -= 1; }

void SweepQueue::failed(const SweepBatch& batch, std::size_t graded, bool begun, const std::string& message,
                        int exit_code) {
  if (graded >= batch.tasks.size()) return;
  Group& group = groups_[batch.group];
  const std::size_t next = batch.tasks[graded];
  if (begun) {
    group.refused.clear();
    for (std::size_t i = batch.tasks.size(); i-- > graded + 1;) group.fresh.push_front(batch.tasks[i]);
    return blame(group, next, message, exit_code);
  }
  if (batch.tasks.size() - graded > 1) {
    for (std::size_t i = graded; i < batch.tasks.size(); ++i) group.suspects.push_back(batch.tasks[i]);
    return;
  }
  blame(group, next, message, exit_code);
  if (group.words != message) group.refused.clear();
  group.words = message;
  group.exit_code = exit_code;
  group.refused.insert(next);
  if (group.refused.size() >= most_refusals) give_up_group(group);
}

void SweepQueue::blame(Group& group, std::size_t task, const std::string& message, int exit_code) {
  if (++attempts_[task] < most_attempts) {
    group.suspects.push_back(task);
  } else {
    give_up(task, message, exit_code);
  }
}

void SweepQueue::give_back(const SweepBatch& batch, std::size_t graded) {
  Group& group = groups_[batch.group];
  for (std::size_t i = batch.tasks.size(); i-- > graded;) group.fresh.push_front(batch.tasks[i]);
}

void SweepQueue::take_back_failure(std::size_t task) {
  attempts_[task] = std::max(0, attempts_[task] - 1);
  for (auto& [number, group] : groups_) group.refused.erase(task);
}

void SweepQueue::give_up(std::size_t task, const std::string& message, int exit_code) {
  failures_.push_back({task, message, exit_code});
  left_ -= 1;
}

void SweepQueue::give_up_group(Group& group) {
  for (auto* tasks : {&group.fresh, &group.suspects}) {
    for (const std::size_t task : *tasks) give_up(task, group.words, group.exit_code);
    tasks->clear();
  }
}

void LaneHealth::succeeded() {
  good_ = true;
  refusals_ = 0;
  blamed_.reset();
}

void LaneHealth::refused(std::size_t group, std::optional<std::size_t> blamed) {
  good_ = false;
  refusals_ += 1;
  avoided_.insert(group);
  if (blamed) blamed_ = blamed;
}

}  // namespace kgrade
