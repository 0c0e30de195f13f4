#include "serve/fair_queue.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kgrade {

// An owner without jobs gets as far as the owner with jobs who has used the least.
void FairQueue::level(Owner& owner) {
  if (!owner.jobs.empty()) return;
  std::optional<double> least;
  for (const auto& [name, other] : owners_) {
    if (!other.jobs.empty()) least = std::min(least.value_or(other.used), other.used);
  }
  if (least) owner.used = std::max(owner.used, *least);
}

void FairQueue::add(QueuedJob job) {
  Owner& owner = owners_[job.owner];
  level(owner);
  owner.jobs.push_back(std::move(job));
  size_ += 1;
}

void FairQueue::give_back(QueuedJob job) {
  Owner& owner = owners_[job.owner];
  level(owner);
  owner.jobs.push_front(std::move(job));
  size_ += 1;
}

bool FairQueue::remove(const std::string& id) {
  for (auto& [name, owner] : owners_) {
    if (owner.jobs.remove_if([&id](const QueuedJob& job) { return job.id == id; }) > 0) {
      size_ -= 1;
      return true;
    }
  }
  return false;
}

const FairQueue::Owner* FairQueue::next_owner() const {
  const Owner* best = nullptr;
  for (const auto& [name, owner] : owners_) {
    if (owner.jobs.empty()) continue;
    if (best == nullptr || owner.used < best->used) best = &owner;
  }
  return best;
}

std::vector<QueuedJob> FairQueue::choose(const std::string& last, std::size_t most) const {
  const Owner* const chosen = next_owner();
  if (chosen == nullptr) return {};
  const std::list<QueuedJob>& jobs = chosen->jobs;
  // Lists keep the order of arrival, and min_element the first of equals.
  const auto leader =
      std::min_element(jobs.begin(), jobs.end(), [&last](const QueuedJob& a, const QueuedJob& b) {
        return std::pair(a.is_low, a.batch != last) < std::pair(b.is_low, b.batch != last);
      });
  if (leader->is_alone) return {*leader};
  const auto fits = [&leader](const QueuedJob& job) {
    return !job.is_alone && job.batch == leader->batch && job.is_low == leader->is_low;
  };
  // The lane's share of all jobs, and not of this problem's: else each lane would have to start each problem.
  const auto waiting = static_cast<std::size_t>(std::count_if(
      jobs.begin(), jobs.end(), [&leader](const QueuedJob& job) { return job.is_low == leader->is_low; }));
  most = std::min(most, jobs.size() == size_ ? largest_batch : largest_shared_batch);
  const std::size_t count = std::min(most, (waiting + lanes_ - 1) / lanes_);
  std::vector<QueuedJob> batch;
  for (auto at = jobs.begin(); at != jobs.end() && batch.size() < count; ++at) {
    if (fits(*at)) batch.push_back(*at);
  }
  return batch;
}

std::vector<QueuedJob> FairQueue::next(const std::string& last) const { return choose(last, largest_batch); }

std::vector<QueuedJob> FairQueue::take(const std::string& last, std::size_t most) {
  std::vector<QueuedJob> batch = choose(last, most);
  if (batch.empty()) return batch;
  std::set<std::string> taken;
  for (const QueuedJob& job : batch) taken.insert(job.id);
  owners_.at(batch.front().owner).jobs.remove_if([&](const QueuedJob& job) {
    return taken.contains(job.id);
  });
  size_ -= batch.size();
  return batch;
}

void FairQueue::charge(const std::string& owner, double seconds) { owners_[owner].used += seconds; }

std::size_t FairQueue::size_of(const std::string& owner) const {
  const auto at = owners_.find(owner);
  return at == owners_.end() ? 0 : at->second.jobs.size();
}

std::map<std::string, std::size_t> FairQueue::by_owner() const {
  std::map<std::string, std::size_t> sizes;
  for (const auto& [name, owner] : owners_) {
    if (!owner.jobs.empty()) sizes[name] = owner.jobs.size();
  }
  return sizes;
}

std::optional<std::size_t> FairQueue::position(const std::string& id) const {
  for (const auto& [name, owner] : owners_) {
    const auto at = std::find_if(owner.jobs.begin(), owner.jobs.end(),
                                 [&id](const QueuedJob& job) { return job.id == id; });
    if (at == owner.jobs.end()) continue;
    const auto before = static_cast<std::size_t>(std::distance(owner.jobs.begin(), at));
    std::size_t others = 0;
    for (const auto& [other_name, other] : owners_) {
      if (&other != &owner) others += std::min(other.jobs.size(), before);
    }
    return before + others;
  }
  return std::nullopt;
}

}  // namespace kgrade
