#include "serve/fair_queue.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace kgrade {
namespace {

bool avoids(const QueuedJob& job, const std::string& lane) { return !lane.empty() && job.avoided == lane; }

}  // namespace

// An owner without jobs gets as far as the owner with jobs who has used the least.
void FairQueue::level(Owner& owner) {
  if (!owner.jobs.empty()) return;
  std::optional<double> least;
  for (const auto& [name, other] : owners_) {
    if (!other.jobs.empty()) least = std::min(least.value_or(other.used), other.used);
  }
  if (least) owner.used = std::max(owner.used, *least);
}

void FairQueue::insert(QueuedJob job, bool at_front) {
  Owner& owner = owners_[job.owner];
  level(owner);
  const auto place = owner.jobs.insert(at_front ? owner.jobs.begin() : owner.jobs.end(), std::move(job));
  places_[place->id] = {&owner, place};
}

void FairQueue::add(QueuedJob job) { insert(std::move(job), false); }

void FairQueue::give_back(QueuedJob job) { insert(std::move(job), true); }

bool FairQueue::remove(const std::string& id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return false;
  const auto [owner, place] = found->second;
  places_.erase(found);
  owner->jobs.erase(place);
  return true;
}

const FairQueue::Owner* FairQueue::next_owner(const std::string& lane) const {
  const Owner* best = nullptr;
  for (const auto& [name, owner] : owners_) {
    if (best != nullptr && owner.used >= best->used) continue;
    if (std::any_of(owner.jobs.begin(), owner.jobs.end(),
                    [&lane](const QueuedJob& job) { return !avoids(job, lane); }))
      best = &owner;
  }
  return best;
}

std::vector<QueuedJob> FairQueue::choose(const std::string& preferred, std::size_t most,
                                         const std::string& lane) const {
  const Owner* const chosen = next_owner(lane);
  if (chosen == nullptr) return {};
  const std::list<QueuedJob>& jobs = chosen->jobs;
  const auto rank = [&](const QueuedJob& job) {
    return std::tuple(avoids(job, lane), job.is_low, job.batch != preferred);
  };
  // Lists keep the order of arrival, and min_element the first of equals.
  const auto leader =
      std::min_element(jobs.begin(), jobs.end(),
                       [&rank](const QueuedJob& a, const QueuedJob& b) { return rank(a) < rank(b); });
  if (leader->is_alone) return {*leader};
  const auto fits = [&](const QueuedJob& job) {
    return !job.is_alone && job.batch == leader->batch && job.is_low == leader->is_low && !avoids(job, lane);
  };
  // The lane's share of all jobs, and not of this problem's: else each lane would have to start each problem.
  const auto waiting = static_cast<std::size_t>(std::count_if(
      jobs.begin(), jobs.end(), [&leader](const QueuedJob& job) { return job.is_low == leader->is_low; }));
  most = std::min(most, jobs.size() == size() ? largest_batch : largest_shared_batch);
  const std::size_t count = std::min(most, (waiting + lanes_ - 1) / lanes_);
  std::vector<QueuedJob> batch;
  for (auto at = jobs.begin(); at != jobs.end() && batch.size() < count; ++at) {
    if (fits(*at)) batch.push_back(*at);
  }
  return batch;
}

std::vector<QueuedJob> FairQueue::next(const std::string& preferred) const {
  return choose(preferred, largest_batch, "");
}

std::vector<QueuedJob> FairQueue::take(const std::string& preferred, std::size_t most,
                                       const std::string& lane) {
  std::vector<QueuedJob> batch = choose(preferred, most, lane);
  for (const QueuedJob& job : batch) remove(job.id);
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

std::size_t FairQueue::position_of(const Owner& owner, std::size_t before) const {
  std::size_t others = 0;
  for (const auto& [name, other] : owners_) {
    if (&other != &owner) others += std::min(other.jobs.size(), before);
  }
  return before + others;
}

std::optional<std::size_t> FairQueue::position(const std::string& id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return std::nullopt;
  const Owner& owner = *found->second.first;
  const std::list<QueuedJob>::const_iterator place = found->second.second;
  return position_of(owner, static_cast<std::size_t>(std::distance(owner.jobs.begin(), place)));
}

std::unordered_map<std::string, std::size_t> FairQueue::positions(const std::string& owner) const {
  std::unordered_map<std::string, std::size_t> positions;
  const auto at = owners_.find(owner);
  if (at == owners_.end()) return positions;
  for (const QueuedJob& job : at->second.jobs)
    positions.emplace(job.id, position_of(at->second, positions.size()));
  return positions;
}

}  // namespace kgrade
