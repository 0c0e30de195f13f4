#include "sweep/build_ahead.h"

#include <poll.h>

#include <algorithm>

#include "grade/run.h"

namespace kgrade {
namespace {

// The other half of the cache is for contestants that are being graded, and for other runs.
constexpr std::uint64_t share_of_cache = 2;
constexpr std::size_t most_groups = 10'000;

}  // namespace

BuildAhead::BuildAhead(int builders, std::vector<std::string> lane_command, JobOf job_of)
    : lane_command_(std::move(lane_command)), job_of_(std::move(job_of)) {
  const auto cache = contestant_cache();
  if (!cache || !cache->problem().empty()) return;
  cache_limit_ = cache->limit();
  for (int i = 0; i < builders; ++i) builders_.emplace_back();
}

void BuildAhead::go_on(const std::vector<BuildTask>& upcoming) {
  for (Builder& builder : builders_) {
    if (builder.task) continue;
    if (!has_room()) return;
    std::string key;
    const auto job = next_job(upcoming, key);
    if (!job) return;
    if (!builder.lane) {
      auto lane = Lane::start(lane_command_);
      // The machine lacks room or processes. The grading will fail for this reason too, and report it.
      if (!lane) return;
      builder.lane = std::move(*lane);
    }
    builder.task = key;
    builder.lane->give(*job);  // if the lane is gone, its socket says so
  }
}

std::optional<LaneJob> BuildAhead::next_job(const std::vector<BuildTask>& upcoming, std::string& key) {
  const std::size_t count = std::min(upcoming.size(), horizon());
  // A service sees groups without an end. One that is built twice comes from the cache.
  if (trusted_begun_.size() > most_groups) trusted_begun_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const BuildTask& task = upcoming[i];
    const bool trusted = trusted_begun_.insert(task.group).second;
    if (!trusted && !begun_.insert(task.key).second) continue;
    auto job = job_of_(task);
    if (!job) continue;
    job->work = trusted ? LaneWork::build_trusted : LaneWork::build_candidates;
    key = task.key;
    return job;
  }
  return std::nullopt;
}

void BuildAhead::finished(const std::string& key) {
  for (Builder& builder : builders_) builder.is_over = builder.is_over || builder.task == key;
  begun_.erase(key);
  held_.erase(key);
}

bool BuildAhead::has_room() const {
  std::uint64_t bytes = largest_;
  for (const auto& [task, held] : held_) bytes += held;
  for (const Builder& builder : builders_) bytes += builder.task ? largest_ : 0;
  return bytes <= cache_limit_ / share_of_cache;
}

bool BuildAhead::has_idle() const {
  return std::any_of(builders_.begin(), builders_.end(), [](const Builder& one) { return !one.task; });
}

bool BuildAhead::is_idle() const {
  return std::none_of(builders_.begin(), builders_.end(),
                      [](const Builder& one) { return one.task.has_value(); });
}

std::vector<int> BuildAhead::descriptors() const {
  std::vector<int> descriptors;
  for (const Builder& builder : builders_) {
    if (builder.lane) descriptors.push_back(builder.lane->descriptor());
  }
  return descriptors;
}

void BuildAhead::hear() {
  for (Builder& builder : builders_) {
    if (!builder.lane) continue;
    pollfd socket{builder.lane->descriptor(), POLLIN, 0};
    if (::poll(&socket, 1, 0) > 0) hear(builder);
  }
}

void BuildAhead::hear(Builder& builder) {
  const bool alive = builder.lane->read();
  while (const auto message = builder.lane->next()) {
    if (message->kind == LaneMessage::Kind::ended) end_job(builder, message->bytes);
  }
  if (alive) return;
  end_job(builder, 0);
  builder.lane.reset();
}

void BuildAhead::end_job(Builder& builder, std::uint64_t bytes) {
  if (!builder.task) return;
  // A task that has ended meanwhile holds nothing any more.
  if (!builder.is_over) held_[*builder.task] += bytes;
  builder.is_over = false;
  largest_ = std::max(largest_, bytes);
  builder.task.reset();
}

}  // namespace kgrade
