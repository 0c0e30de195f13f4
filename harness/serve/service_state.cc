// What a service reports about itself: its lanes, counts and health.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "serve/answers_json.h"
#include "serve/service.h"

namespace kgrade {

using OrderedJson = nlohmann::ordered_json;

OrderedJson Service::capacity(const std::string& owner) const {
  answers::Capacity capacity;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    // All jobs of a batch have one owner.
    const bool is_own = !lane.batch.empty() && lane.batch.front().owner == owner;
    const char* const idle = dispatcher_.is_paused(lane)  ? "quarantined"
                             : dispatcher_.is_there(lane) ? "idle"
                                                          : "starting";
    answers::Lane& shown = capacity.lanes.emplace_back();
    if (lane.host) shown.name = *lane.host;
    shown.device = lane.device;
    shown.state = lane.batch.empty() ? idle : "busy";
    shown.since_s = now() - lane.since;
    if (!is_own) continue;
    shown.problem = shown_problems_.at(lane.batch_id);
    if (lane.current() != nullptr) shown.job = lane.current()->id;
    shown.doing = lane.doing;
  }
  capacity.queued = dispatcher_.queue().size();
  capacity.by_owner = dispatcher_.queue().by_owner();
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    const std::size_t waiting = count(lane, JobState::queued);
    capacity.running += count(lane, JobState::running);
    capacity.queued += waiting;
    if (waiting > 0) capacity.by_owner[lane.batch.front().owner] += waiting;
  }
  capacity.grades_per_minute = rate() * 60;
  capacity.version = tool_info().version;
  return json_of(capacity);
}

std::string Service::farewell() const {
  const std::size_t jobs = dispatcher_.left();
  if (jobs == 0) return "kgrade serve: stopped\n";
  return fmt::format("kgrade serve: stopped; {} in {} and {} on when it is started again\n",
                     jobs == 1 ? "1 job waits" : fmt::format("{} jobs wait", jobs),
                     printable_line(options_.state.string()), jobs == 1 ? "goes" : "go");
}

std::size_t Service::count(const LaneSlot& lane, JobState state) const {
  std::size_t jobs = 0;
  for (std::size_t i = 0; i < lane.batch.size(); ++i)
    jobs += !lane.is_done[i] && jobs_.at(lane.batch[i].id).state == state ? 1 : 0;
  return jobs;
}

std::size_t Service::handed_out(const std::string& owner) const {
  std::size_t waiting = 0;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    // All jobs of a batch have one owner.
    if (!lane.batch.empty() && lane.batch.front().owner == owner) waiting += count(lane, JobState::queued);
  }
  return waiting;
}

std::size_t Service::position_of(const GradeJob& job) const {
  if (const auto place = dispatcher_.queue().position(job.id)) return handed_out(job.owner) + *place;
  return positions(job.owner).at(job.id);
}

Service::Positions Service::positions(const std::string& owner) const {
  Positions positions = dispatcher_.queue().positions(owner);
  const std::size_t before = handed_out(owner);
  for (auto& [id, position] : positions) position += before;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    std::size_t position = 0;  // lanes work side by side
    for (std::size_t i = 0; i < lane.batch.size(); ++i) {
      const QueuedJob& job = lane.batch[i];
      if (job.owner == owner && !lane.is_done[i] && jobs_.at(job.id).state == JobState::queued)
        positions.emplace(job.id, position++);
    }
  }
  return positions;
}

double Service::rate() const {
  return static_cast<double>(graded_at_.size()) / std::clamp(now() - began_at_, 1.0, rate_seconds);
}

std::string Service::metrics() const {
  std::size_t busy = 0, quarantined = 0, starting = 0, queued = dispatcher_.queue().size(), running = 0;
  for (const LaneSlot& lane : dispatcher_.lanes()) {
    queued += count(lane, JobState::queued);
    running += count(lane, JobState::running);
    busy += lane.batch.empty() ? 0 : 1;
    const bool is_paused = dispatcher_.is_paused(lane);
    quarantined += is_paused ? 1 : 0;
    starting += !is_paused && !dispatcher_.is_there(lane) ? 1 : 0;
  }
  std::string text = fmt::format(
      "# HELP kgrade_queued_jobs Jobs that wait for their turn.\n# TYPE kgrade_queued_jobs gauge\n"
      "kgrade_queued_jobs {}\n"
      "# HELP kgrade_running_jobs Jobs that are being graded.\n# TYPE kgrade_running_jobs gauge\n"
      "kgrade_running_jobs {}\n"
      "# HELP kgrade_lanes Lanes by state.\n# TYPE kgrade_lanes gauge\n"
      "kgrade_lanes{{state=\"busy\"}} {}\nkgrade_lanes{{state=\"idle\"}} {}\n"
      "kgrade_lanes{{state=\"quarantined\"}} {}\nkgrade_lanes{{state=\"starting\"}} {}\n"
      "# HELP kgrade_jobs_ended_total Jobs that have ended since the service was started.\n"
      "# TYPE kgrade_jobs_ended_total counter\n",
      queued, running, busy, dispatcher_.lanes().size() - busy - quarantined - starting, quarantined,
      starting);
  for (const auto& [how, count] : ended_as_)
    text += fmt::format("kgrade_jobs_ended_total{{as=\"{}\"}} {}\n", how, count);
  return text;
}

bool Service::is_healthy() const {
  const auto works = [this](const LaneSlot& lane) {
    return dispatcher_.is_there(lane) && !dispatcher_.is_paused(lane) &&
           (lane.batch.empty() || now() - lane.heard_at < 600);
  };
  return std::any_of(dispatcher_.lanes().begin(), dispatcher_.lanes().end(), works);
}

}  // namespace kgrade
