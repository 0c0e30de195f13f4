#include "lanes/build_ahead.h"

#include <poll.h>

#include <algorithm>

#include "grade/run.h"

namespace kgrade {
namespace {

// The other half of the cache is for contestants that are being graded, and for other runs.
constexpr std::uint64_t share_of_cache = 2;
constexpr std::size_t most_groups = 10'000;
// Builders beyond the usual number, for owners with no build under way.
constexpr std::size_t most_further = 8;
// A builder that takes longer than this hangs. Any build is shorter (BuildTime, and the extensions of one
// file).
constexpr std::chrono::minutes longest_wait{15};

}  // namespace

BuildAhead::BuildAhead(int builders, LaneCommand lane_command, JobOf job_of)
    : lane_command_(std::move(lane_command)), job_of_(std::move(job_of)) {
  const auto cache = contestant_cache();
  if (!cache || !cache->problem().empty()) return;
  cache_limit_ = cache->limit();
  for (int i = 0; i < builders; ++i) builders_.emplace_back();
}

void BuildAhead::go_on(const std::vector<BuildTask>& upcoming) {
  if (builders_.empty()) return;
  for (Builder& builder : builders_) {
    if (!builder.task && !start(builder, upcoming, false)) return;
  }
  std::erase_if(further_, [](const Builder& one) { return !one.task; });
  while (further_.size() < most_further) {
    Builder builder;
    if (!start(builder, upcoming, true)) return;
    further_.push_back(std::move(builder));
  }
}

// Gives a builder work. False if there is nothing to build, or if there is no room or process for it.
bool BuildAhead::start(Builder& builder, const std::vector<BuildTask>& upcoming, bool is_further) {
  std::uint64_t bytes = largest_;
  for (const auto& [task, held] : held_) bytes += held;
  for (const auto* const all : {&builders_, &further_}) {
    for (const Builder& one : *all) bytes += one.task ? largest_ : 0;
  }
  if (bytes > cache_limit_ / share_of_cache) return false;
  std::optional<Work> work;
  for (const std::string& owner : owners_in_turn(upcoming)) {
    if (is_further && builds_of(owner) > 0) continue;
    work = next_of(upcoming, owner, !is_further);
    if (work) break;
  }
  if (!work) return false;
  if (!builder.lane) {
    auto lane = Lane::start(lane_command_);
    // The machine lacks room or processes. The grading will fail for this reason too, and report it.
    if (!lane) return false;
    builder.lane = std::move(*lane);
  }
  builder.task = work->task.key;
  builder.owner = work->task.owner;
  builder.is_trusted = work->job.work == LaneWork::build_trusted;
  builder.since = std::chrono::steady_clock::now();
  builder.lane->give(work->job);  // if the lane is gone, its socket says so
  return true;
}

std::size_t BuildAhead::builds_of(const std::string& owner) const {
  const auto is_of = [&owner](const Builder& one) { return one.task && one.owner == owner; };
  return static_cast<std::size_t>(std::count_if(builders_.begin(), builders_.end(), is_of) +
                                  std::count_if(further_.begin(), further_.end(), is_of));
}

// Owners by the number of their builds under way, then by the time that their builds have used. A new owner
// counts as having used as much as the owner who has used the least.
std::vector<std::string> BuildAhead::owners_in_turn(const std::vector<BuildTask>& upcoming) {
  std::vector<std::string> owners;
  for (const BuildTask& task : upcoming) {
    if (std::find(owners.begin(), owners.end(), task.owner) == owners.end()) owners.push_back(task.owner);
  }
  std::optional<double> least;
  for (const std::string& owner : owners) {
    if (const auto at = used_s_.find(owner); at != used_s_.end())
      least = std::min(least.value_or(at->second), at->second);
  }
  for (const std::string& owner : owners) used_s_.try_emplace(owner, least.value_or(0));
  const auto rank = [this](const std::string& owner) {
    return std::pair(builds_of(owner), used_s_.at(owner));
  };
  std::stable_sort(owners.begin(), owners.end(),
                   [&rank](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return owners;
}

// A candidate comes before its oracle, reference and baselines, because the grading lane can build those
// itself meanwhile.
std::optional<BuildAhead::Work> BuildAhead::next_of(const std::vector<BuildTask>& upcoming,
                                                    const std::string& owner, bool also_trusted) {
  // A service sees any number of groups, so the set is cleared when it is large. A group that is built again
  // comes from the cache.
  if (trusted_begun_.size() > most_groups) trusted_begun_.clear();
  std::size_t left = horizon();
  for (const BuildTask& task : upcoming) {
    if (task.owner != owner) continue;
    if (left-- == 0) break;
    const bool is_new = begun_.insert(task.key).second;
    if (!is_new && (!also_trusted || !trusted_begun_.insert(task.group).second)) continue;
    auto job = job_of_(task);
    if (!job) continue;
    job->work = is_new ? LaneWork::build_candidates : LaneWork::build_trusted;
    return Work{*std::move(job), task};
  }
  return std::nullopt;
}

bool BuildAhead::is_being_built(const std::string& key) const {
  const auto latest = std::chrono::steady_clock::now() - longest_wait;
  const auto has_it = [&](const Builder& one) {
    return one.task == key && !one.is_trusted && one.since > latest;
  };
  return std::any_of(builders_.begin(), builders_.end(), has_it) ||
         std::any_of(further_.begin(), further_.end(), has_it);
}

double BuildAhead::seconds_of(const std::string& key) const {
  const auto at = took_s_.find(key);
  return at == took_s_.end() ? 0 : at->second;
}

void BuildAhead::finished(const std::string& key) {
  for (auto* const all : {&builders_, &further_}) {
    for (Builder& builder : *all) builder.is_over = builder.is_over || builder.task == key;
  }
  begun_.erase(key);
  took_s_.erase(key);
  held_.erase(key);
}

bool BuildAhead::is_idle() const {
  const auto works = [](const Builder& one) { return one.task.has_value(); };
  return std::none_of(builders_.begin(), builders_.end(), works) &&
         std::none_of(further_.begin(), further_.end(), works);
}

std::vector<int> BuildAhead::descriptors() const {
  std::vector<int> descriptors;
  for (const auto* const all : {&builders_, &further_}) {
    for (const Builder& builder : *all) {
      if (builder.lane) descriptors.push_back(builder.lane->descriptor());
    }
  }
  return descriptors;
}

void BuildAhead::hear() {
  for (auto* const all : {&builders_, &further_}) {
    for (Builder& builder : *all) {
      if (!builder.lane) continue;
      pollfd socket{builder.lane->descriptor(), POLLIN, 0};
      if (::poll(&socket, 1, 0) <= 0) continue;
      if (builder.lane->has_unsent()) builder.lane->send();
      const bool alive = builder.lane->read();
      while (const auto message = builder.lane->next()) {
        if (message->kind == LaneMessage::Kind::ended) end_job(builder, message->bytes, message->seconds);
      }
      if (alive) continue;
      end_job(builder, 0, 0);
      builder.lane.reset();
    }
  }
}

void BuildAhead::end_job(Builder& builder, std::uint64_t bytes, double compiled_s) {
  if (!builder.task) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - builder.since).count();
  used_s_[builder.owner] += seconds;
  if (!builder.is_over && !builder.is_trusted && compiled_s > 0) took_s_[*builder.task] = seconds;
  // If the task has ended meanwhile, its bytes in the cache no longer count.
  if (!builder.is_over) held_[*builder.task] += bytes;
  builder.is_over = false;
  largest_ = std::max(largest_, bytes);
  builder.task.reset();
}

}  // namespace kgrade
