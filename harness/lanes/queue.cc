#include "lanes/queue.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace kgrade {
namespace {

// At most this many jobs of an owner are searched for the jobs after the next batch.
constexpr std::size_t most_looked_at = 1000;

// The first jobs, in the order in which a lane that begins with the batch key `first` would take them.
std::vector<const QueuedJob*> in_order_of_batches(const std::list<QueuedJob>& jobs,
                                                  const std::string& first) {
  std::map<std::string_view, std::size_t> turn_of_batch{{first, 0}};
  std::vector<std::tuple<bool, std::size_t, const QueuedJob*>> ranked;
  for (const QueuedJob& job : jobs) {
    if (ranked.size() == most_looked_at) break;
    const auto turn = turn_of_batch.emplace(job.batch, turn_of_batch.size()).first->second;
    ranked.emplace_back(job.is_low, turn, &job);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  std::vector<const QueuedJob*> ordered;
  for (const auto& [is_low, turn, job] : ranked) ordered.push_back(job);
  return ordered;
}

}  // namespace

void JobQueue::insert(QueuedJob job, bool at_front) {
  Owner& owner = owners_[job.owner];
  if (owner.jobs.empty()) {
    // It starts level with the owner with jobs who has used the least time.
    std::optional<double> least;
    for (const auto& [name, other] : owners_) {
      if (!other.jobs.empty()) least = std::min(least.value_or(other.used), other.used);
    }
    if (least) owner.used = std::max(owner.used, *least);
  }
  bytes_ += job.bytes;
  const auto place = owner.jobs.insert(at_front ? owner.jobs.begin() : owner.jobs.end(), std::move(job));
  places_[place->id] = {&owner, place};
}

void JobQueue::add(QueuedJob job) { insert(std::move(job), false); }

void JobQueue::give_back(QueuedJob job) { insert(std::move(job), true); }

bool JobQueue::remove(const std::string& id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return false;
  const auto [owner, place] = found->second;
  bytes_ -= place->bytes;
  places_.erase(found);
  owner->jobs.erase(place);
  return true;
}

void JobQueue::join(const std::string& id) {
  if (const auto found = places_.find(id); found != places_.end()) found->second.second->is_alone = false;
}

std::vector<QueuedJob> JobQueue::with_batch(const std::string& batch) const {
  std::vector<QueuedJob> found;
  for (const auto& [name, owner] : owners_) {
    std::copy_if(owner.jobs.begin(), owner.jobs.end(), std::back_inserter(found),
                 [&batch](const QueuedJob& job) { return job.batch == batch; });
  }
  return found;
}

std::vector<QueuedJob> JobQueue::choose(const Warmth& warmth, std::size_t most,
                                        const IsReady& is_ready) const {
  // The owner who is served next.
  const Owner* best = nullptr;
  std::pair<bool, double> least;  // the owner has only jobs of refused problems; used seconds
  for (const auto& [name, owner] : owners_) {
    if (best != nullptr && std::pair(false, owner.used) >= least) continue;
    bool waits = false, is_trusted = false;
    for (auto job = owner.jobs.begin(); job != owner.jobs.end() && !is_trusted; ++job) {
      if (warmth.is_set_aside(job->batch) || (is_ready && !is_ready(*job))) continue;
      waits = true;
      is_trusted = !warmth.has_refused(job->batch);
    }
    const std::pair rank(!is_trusted, owner.used);
    if (!waits || (best != nullptr && rank >= least)) continue;
    best = &owner;
    least = rank;
  }
  if (best == nullptr) return {};
  const std::list<QueuedJob>& jobs = best->jobs;
  const std::string preferred = warmth.preferred();
  const auto rank = [&](const QueuedJob& job) {
    return std::tuple(is_ready && !is_ready(job), warmth.is_set_aside(job.batch),
                      warmth.has_refused(job.batch), job.is_low, job.batch != preferred);
  };
  // Lists keep the order of arrival, and min_element() returns the first of equal jobs.
  const auto leader =
      std::min_element(jobs.begin(), jobs.end(),
                       [&rank](const QueuedJob& a, const QueuedJob& b) { return rank(a) < rank(b); });
  if (leader->is_alone) return {*leader};
  const auto fits = [&](const QueuedJob& job) {
    return !job.is_alone && job.batch == leader->batch && job.is_low == leader->is_low &&
           (!is_ready || is_ready(job));
  };
  // The lane gets its share of all jobs, not of this problem's jobs. Otherwise each lane would have to load
  // each problem.
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

std::vector<QueuedJob> JobQueue::upcoming(const Warmth& warmth, std::size_t most) const {
  std::vector<QueuedJob> jobs_in_order;
  const std::vector<QueuedJob> next = choose(warmth, largest_batch, nullptr);
  if (next.empty()) return jobs_in_order;
  std::set<std::string> seen;
  const auto put = [&](const QueuedJob& job) {
    if (jobs_in_order.size() < most && seen.insert(job.id).second) jobs_in_order.push_back(job);
  };
  for (const QueuedJob& job : next) put(job);
  std::vector<std::vector<const QueuedJob*>> turns;
  // All first jobs of one owner may be in the next batch. Every other owner has a job for the first turn.
  for (auto owner = owners_.begin(); owner != owners_.end() && turns.size() <= most; ++owner) {
    if (!owner->second.jobs.empty())
      turns.push_back(in_order_of_batches(owner->second.jobs, next.front().batch));
  }
  for (std::size_t turn = 0; turn < most; ++turn) {
    for (const auto& jobs : turns) {
      if (turn < jobs.size()) put(*jobs[turn]);
    }
  }
  return jobs_in_order;
}

std::vector<QueuedJob> JobQueue::firsts() const {
  std::vector<QueuedJob> firsts;
  for (const auto& [name, owner] : owners_) {
    if (!owner.jobs.empty()) firsts.push_back(owner.jobs.front());
  }
  return firsts;
}

std::vector<QueuedJob> JobQueue::take(const Warmth& warmth, std::size_t most, std::size_t most_bytes,
                                      const IsReady& is_ready) {
  std::vector<QueuedJob> batch = choose(warmth, most, is_ready);
  std::size_t bytes = 0;
  const auto is_too_much = [&](const QueuedJob& job) { return (bytes += job.bytes) > most_bytes; };
  if (const auto end = std::find_if(batch.begin(), batch.end(), is_too_much); end != batch.end())
    batch.erase(std::max(end, batch.begin() + 1), batch.end());
  for (const QueuedJob& job : batch) remove(job.id);
  return batch;
}

void JobQueue::charge(const std::string& owner, double seconds) { owners_[owner].used += seconds; }

std::size_t JobQueue::size_of(const std::string& owner) const {
  const auto at = owners_.find(owner);
  return at == owners_.end() ? 0 : at->second.jobs.size();
}

std::map<std::string, std::size_t> JobQueue::by_owner() const {
  std::map<std::string, std::size_t> sizes;
  for (const auto& [name, owner] : owners_) {
    if (!owner.jobs.empty()) sizes[name] = owner.jobs.size();
  }
  return sizes;
}

std::size_t JobQueue::position_of(const Owner& owner, std::size_t before) const {
  std::size_t others = 0;
  for (const auto& [name, other] : owners_) {
    if (&other != &owner) others += std::min(other.jobs.size(), before);
  }
  return before + others;
}

std::optional<std::size_t> JobQueue::position(const std::string& id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return std::nullopt;
  const Owner& owner = *found->second.first;
  const std::list<QueuedJob>::const_iterator place = found->second.second;
  return position_of(owner, static_cast<std::size_t>(std::distance(owner.jobs.begin(), place)));
}

std::unordered_map<std::string, std::size_t> JobQueue::positions(const std::string& owner) const {
  std::unordered_map<std::string, std::size_t> positions;
  const auto at = owners_.find(owner);
  if (at == owners_.end()) return positions;
  for (const QueuedJob& job : at->second.jobs)
    positions.emplace(job.id, position_of(at->second, positions.size()));
  return positions;
}

}  // namespace kgrade
