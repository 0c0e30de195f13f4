// Lanes on other machines: they ask for work, and hand in results (docs/service.md).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/service.h"
#include "serve/service_lane.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

// A lane that says nothing for so long has lost its batch.
constexpr double lease_seconds = 60;
// If its connection was lost while it waited for work, it does not know that it has a lease. So its first
// word must come sooner: after this time, and the time that the answer takes on a slow connection.
constexpr double first_word_seconds = 15;
constexpr double slow_bytes_per_second = 0.5e6;
// The texts of a lease's jobs, unless one job has more. They are one answer, which must not be too large.
constexpr std::size_t most_lease_bytes = std::size_t{8} << 20;
// Names are made up by lanes, so what is kept of them has an end.
constexpr std::size_t most_names = 10'000;

}  // namespace

void Service::wait_for_work(const FreeLane& lane, double seconds,
                            std::function<void(const std::string&)> then) {
  askers_.push_back({lane, now() + seconds, std::move(then)});
  hand_out();
}

void Service::hand_out_elsewhere() {
  if (warm_.size() > most_names) warm_.clear();
  if (quarantines_.size() > most_names) quarantines_.clear();
  std::vector<std::function<void()>> answers;
  for (auto at = askers_.begin(); at != askers_.end() && queue_.size() > 0;) {
    const auto asker = at++;
    const std::string node = node_id(asker->lane.name);
    if (is_quarantined(node)) continue;
    Warmth& warmth = warm_[asker->lane.name];
    const std::vector<QueuedJob> batch =
        queue_.take(warmth.preferred(), asker->lane.most, avoidable(node), most_lease_bytes);
    if (batch.empty()) continue;
    ServiceLane& lane = lanes_.emplace_back();
    lane.id = node;
    lane.name = asker->lane.name;
    lane.device = asker->lane.device;
    lane.warmth = warmth;
    lane.begin(batch, random_id(), now());
    warmth = lane.warmth;
    lane.problem = jobs_.at(batch.front().id).request.problem_shown();
    double bytes = 0;
    for (const QueuedJob& each : batch) {
      const std::size_t size = jobs_.at(each.id).body.size();
      bytes += static_cast<double>(size);
      queued_bytes_ -= size;
    }
    lane.lease_until =
        lane.since + std::min(lease_seconds, first_word_seconds + bytes / slow_bytes_per_second);
    answers.push_back([then = std::move(asker->then), lease = lane.lease] { then(lease); });
    askers_.erase(asker);
  }
  for (const auto& answer : answers) answer();
}

OrderedJson Service::batch_of(const std::string& lease) const {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const ServiceLane& one) { return one.lease == lease; });
  OrderedJson jobs = OrderedJson::array();
  const bool is_there = !lease.empty() && lane != lanes_.end();
  for (std::size_t i = 0; is_there && i < lane->batch.size(); ++i) {
    const GradeJob& job = jobs_.at(lane->batch[i].id);
    if (lane->is_done[i]) continue;  // it was cancelled a moment ago
    OrderedJson request = OrderedJson::parse(job.body);
    request["deadline_s"] = std::max(1.0, job.expires_at - now());
    // The lane sends its whole record. The service decides what the owner sees of it.
    request.erase("feedback");
    jobs.push_back({{"id", job.id}, {"request", request}});
  }
  return {{"lease", is_there ? OrderedJson(lease) : OrderedJson(nullptr)},
          {"lease_s", lease_seconds},
          {"jobs", jobs}};
}

std::optional<std::vector<std::string>> Service::hear(const std::string& lease, const LeaseReport& report) {
  const auto at = std::find_if(lanes_.begin(), lanes_.end(), [&](const ServiceLane& one) {
    return one.is_elsewhere() && !one.batch.empty() && one.lease == lease;
  });
  if (at == lanes_.end()) return std::nullopt;
  ServiceLane& lane = *at;
  lane.is_known = true;
  lane.heard_at = now();
  lane.lease_until = lane.heard_at + lease_seconds;
  for (const std::string& id : report.begun) {
    const auto index = lane.index_of(id);
    if (!index || lane.has_begun[*index]) continue;
    begin(lane, *index);
  }
  std::optional<std::string> refused;  // why; it counts once, however many jobs it concerns
  for (const LeaseReport::Result& result : report.results) {
    const auto index = lane.index_of(result.id);
    if (!index) continue;  // it was cancelled, or is known already
    GradeJob& job = jobs_.at(result.id);
    lane.is_done[*index] = true;
    charge(lane, lane.heard_at);
    if (result.is_overrun) {
      end(job, JobState::finished, [&] { return overrun_view(job); });
    } else if (result.record.empty()) {
      not_graded(lane, job, result.fault, result.reason);
      if (!lane.has_begun[*index] && result.fault != "problem") refused = result.reason;
    } else if (const std::string why = finish(job, result.record); !why.empty()) {
      not_graded(lane, job, "service", why);
    } else {
      quarantines_[lane.id].graded();
    }
  }
  if (refused) refuse(lane, *refused);
  const std::vector<std::string> cancelled = std::exchange(lane.cancelled, {});
  if (report.is_released) {
    lose(lane, "");
  } else if (lane.left() == 0) {
    close_batch(lane);
  }
  return cancelled;
}

// The lane does not go on with its batch. `why`: what is said of the jobs that it had begun; empty if nobody
// is to blame.
void Service::lose(ServiceLane& lane, const std::string& why) {
  bool any_begun = false;
  for (std::size_t i = lane.batch.size(); i-- > 0;) {
    if (lane.is_done[i]) continue;
    GradeJob& job = jobs_.at(lane.batch[i].id);
    any_begun = any_begun || lane.has_begun[i];
    // Somebody whom the answer did not reach is not to blame, and a job even less. But no job may end one
    // node after the other before they say a word.
    const bool is_unheard = !lane.is_known && job.unheard++ == 0;
    if (why.empty() || is_unheard) {
      enqueue(job, true);
    } else if (lane.has_begun[i] || lane.batch.size() == 1) {
      not_graded(lane, job, "machine", why);
    } else {
      // A candidate may end its node before anybody hears that it began. It ends the third one alone.
      job.losses += 1;
      job.is_alone = job.is_alone || job.losses >= 2;
      enqueue(job, true);
    }
  }
  const bool is_forgiven = !lane.is_known && quarantines_[lane.id].forgives(now(), lease_seconds);
  if (!why.empty() && !any_begun && !is_forgiven) refuse(lane, why);
  close_batch(lane);
}

void Service::look_at_leases(double now) {
  for (ServiceLane& lane : lanes_) {
    if (lane.is_elsewhere() && !lane.batch.empty() && now > lane.lease_until)
      lose(lane, "the lane '" + lane.name + "' on another machine is not heard of any more");
  }
  for (const Asker& asker : take_late(askers_, now)) asker.then("");
}

void Service::stop_job(ServiceLane& lane, const std::string& id) {
  if (!lane.is_elsewhere()) return interrupt(lane, false);
  const auto index = lane.index_of(id);
  if (!index) return;
  lane.is_done[*index] = true;
  lane.cancelled.push_back(id);
  if (lane.left() == 0) close_batch(lane);
}

}  // namespace kgrade
