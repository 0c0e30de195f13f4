#include "sweep/build_ahead.h"

#include <algorithm>

#include "grade/run.h"
#include "sweep/sweep.h"

namespace kgrade {
namespace {

// The other half of the cache is for contestants that are being graded, and for other runs.
constexpr std::uint64_t share_of_cache = 2;

}  // namespace

BuildAhead::BuildAhead(const SweepPlan& plan, const SweepOptions& options)
    : plan_(plan), options_(options), begun_(plan.tasks.size()), trusted_begun_(plan.groups.size()) {
  const auto cache = contestant_cache();
  if (!cache || !cache->problem().empty()) return;
  cache_limit_ = cache->limit();
  for (int i = 0; i < options.build_jobs; ++i) builders_.emplace_back();
}

void BuildAhead::go_on(const std::vector<std::size_t>& upcoming) {
  for (Builder& builder : builders_) {
    if (builder.task) continue;
    if (!has_room()) return;
    std::size_t task = 0;
    const auto job = next_job(upcoming, task);
    if (!job) return;
    if (!builder.lane) {
      auto lane = Lane::start(options_.lane_command);
      // The machine lacks room or processes. The grading will fail for this reason too, and report it.
      if (!lane) return;
      builder.lane = std::move(*lane);
    }
    builder.task = task;
    builder.lane->give(*job);  // if the lane is gone, its socket says so
  }
}

std::optional<LaneJob> BuildAhead::next_job(const std::vector<std::size_t>& upcoming, std::size_t& task) {
  const std::size_t count = std::min(upcoming.size(), horizon());
  for (std::size_t i = 0; i < count; ++i) {
    task = upcoming[i];
    const std::size_t group = plan_.tasks[task].group;
    const bool trusted = !trusted_begun_[group];
    if (!trusted && begun_[task]) continue;
    LaneJob job = job_for(options_.lane, plan_.groups[group].problem);
    job.options.device = options_.devices.front();
    job.only_builds = true;
    if (!trusted) job.candidates = {plan_.tasks[task].candidate.string()};
    (trusted ? trusted_begun_[group] : begun_[task]) = true;
    return job;
  }
  return std::nullopt;
}

bool BuildAhead::has_room() const {
  std::uint64_t bytes = largest_;
  for (const auto& [task, held] : held_) bytes += held;
  for (const Builder& builder : builders_) bytes += builder.task ? largest_ : 0;
  return bytes <= cache_limit_ / share_of_cache;
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

void BuildAhead::hear(int descriptor) {
  for (Builder& builder : builders_) {
    if (!builder.lane || builder.lane->descriptor() != descriptor) continue;
    const bool alive = builder.lane->read();
    while (const auto message = builder.lane->next()) {
      if (message->kind == LaneMessage::Kind::ended) end_job(builder, message->bytes);
    }
    if (alive) return;
    end_job(builder, 0);
    builder.lane.reset();
    return;
  }
}

void BuildAhead::end_job(Builder& builder, std::uint64_t bytes) {
  if (!builder.task) return;
  held_[*builder.task] += bytes;
  largest_ = std::max(largest_, bytes);
  builder.task.reset();
}

}  // namespace kgrade
