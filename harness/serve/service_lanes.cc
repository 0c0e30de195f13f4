// The lanes of a service: which jobs they get, and what becomes of what they say.
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/record_json.h"
#include "serve/service.h"
#include "serve/service_lane.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr double build_each_seconds = 0.1;

const char* fault_of(int exit_code) {
  if (exit_code == exit_usage) return "problem";
  return exit_code == exit_machine ? "machine" : "service";
}

}  // namespace

ServiceLane* Service::lane_of(const std::string& id) {
  for (ServiceLane& lane : lanes_) {
    if (lane.index_of(id)) return &lane;
  }
  return nullptr;
}

void Service::go_on() {
  epoll_event events[64];
  const int count = ::epoll_wait(epoll_.get(), events, 64, 0);
  for (int i = 0; i < count; ++i) hear(*static_cast<ServiceLane*>(events[i].data.ptr));
  look_at_the_clock();
  lanes_.remove_if([](const ServiceLane& lane) { return lane.is_elsewhere() && lane.batch.empty(); });
  hand_out();
  build_ahead();
}

void Service::hand_out() {
  queue_.divide_among(lanes_.size() + askers_.size());
  for (ServiceLane& lane : lanes_) {
    if (!lane.batch.empty() || lane.is_quarantined || lane.is_elsewhere() || queue_.size() == 0) continue;
    const std::vector<QueuedJob> batch = queue_.take(lane.last);
    if (batch.empty()) break;
    for (const QueuedJob& each : batch) queued_bytes_ -= jobs_.at(each.id).body.size();
    if (!start(lane, batch)) break;
  }
  hand_out_elsewhere();
}

bool Service::start(ServiceLane& lane, const std::vector<QueuedJob>& batch) {
  const double now = wall_clock();
  lane.begin(batch, random_id(), now);
  lane.folder = fs::absolute(options_.state / "work" / lane.lease);
  lane.problem = jobs_.at(batch.front().id).request.problem_shown();
  for (const QueuedJob& each : batch) jobs_.at(each.id).state = JobState::running;
  LaneOptions options = options_.lane;
  options.device = lane.device;
  std::vector<const GradeJob*> jobs;
  for (const QueuedJob& each : batch) jobs.push_back(&jobs_.at(each.id));
  auto job = lane_job(options, lane.folder, jobs, problems_);
  if (!job) {
    batch_failed(lane, to_string(job.errors()), exit_machine);
    return false;
  }
  job->lease = lane.lease;
  if (!lane.process) {
    auto process = Lane::start(options_.lane_command);
    if (!process) {
      batch_failed(lane, to_string(process.errors()), exit_machine);
      return false;
    }
    lane.process = std::move(*process);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &lane;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, lane.process->descriptor(), &event);
  }
  lane.process->give(*job);  // if the lane is gone, its socket says so
  return true;
}

// The jobs whose candidates are graded next, in that order: of all batches in turn, and then of the next
// batch.
std::vector<BuildTask> Service::upcoming() const {
  std::vector<BuildTask> tasks;
  std::vector<std::vector<std::string>> waiting;
  for (const ServiceLane& lane : lanes_) {
    if (lane.is_elsewhere()) continue;
    std::vector<std::string>& ids = waiting.emplace_back();
    for (std::size_t i = 0; i < lane.batch.size(); ++i) {
      if (!lane.has_begun[i] && !lane.is_done[i]) ids.push_back(lane.batch[i].id);
    }
    for (const QueuedJob& job : queue_.next(lane.last)) ids.push_back(job.id);
  }
  for (std::size_t i = 0; tasks.size() < ahead_.horizon(); ++i) {
    const std::size_t before = tasks.size();
    for (const auto& ids : waiting) {
      if (i < ids.size()) tasks.push_back({ids[i], jobs_.at(ids[i]).batch});
    }
    if (tasks.size() == before) break;
  }
  return tasks;
}

std::optional<LaneJob> Service::job_that_builds(const BuildTask& task, bool trusted) const {
  LaneOptions options = options_.lane;
  options.device = options_.devices.front();
  auto job = lane_job(options, build_folder(task.key), {&jobs_.at(task.key)}, problems_);
  if (!job) return std::nullopt;  // the grading will fail for this reason too, and say so
  if (trusted) {
    job->candidates.clear();
    job->numbers.clear();
  }
  return *std::move(job);
}

fs::path Service::build_folder(const std::string& id) const {
  return fs::absolute(options_.state / "work" / ("build-" + id));
}

// Looks at the queue, so not at each word of a lane.
void Service::build_ahead() {
  const double now = wall_clock();
  if (ahead_.horizon() == 0 || now < next_building_) return;
  next_building_ = now + build_each_seconds;
  std::vector<pollfd> sockets;
  for (const int descriptor : ahead_.descriptors()) sockets.push_back({descriptor, POLLIN, 0});
  if (::poll(sockets.data(), sockets.size(), 0) > 0) {
    for (const pollfd& socket : sockets) {
      if (socket.revents != 0) ahead_.hear(socket.fd);
    }
  }
  ahead_.go_on(upcoming());
}

void Service::hear(ServiceLane& lane) {
  if (!lane.process) return;
  const bool alive = lane.process->read();
  while (lane.process) {
    const auto message = lane.process->next();
    if (!message) break;
    if (!lane.batch.empty() && message->lease == lane.lease) take(lane, *message);
  }
  if (alive || !lane.process) return;
  const LaneEnd how = lane.process->end();
  lane.process.reset();
  lane.last.clear();
  if (!lane.batch.empty())
    batch_failed(lane, "the process that graded " + how.description,
                 how.was_killed ? exit_machine : exit_internal);
}

void Service::take(ServiceLane& lane, const LaneMessage& message) {
  lane.heard_at = wall_clock();
  switch (message.kind) {
    case LaneMessage::Kind::begun: {
      if (message.candidate >= lane.batch.size() || lane.is_done[message.candidate]) break;
      GradeJob& job = jobs_.at(lane.batch[message.candidate].id);
      lane.has_begun[message.candidate] = true;
      job.started_at = lane.heard_at;
      tell(job, "started", event_of(job));
      job.attempts += 1;
      journal_.append(begun_line(job.id));
      break;
    }
    case LaneMessage::Kind::doing:
      // It names cases, and everybody sees it.
      if (const GradeJob* const job = lane.current(jobs_);
          job != nullptr && job->feedback != Feedback::full) {
        lane.doing.clear();
      } else {
        lane.doing = printable_line(message.text.substr(0, 200));
      }
      break;
    case LaneMessage::Kind::graded:
      keep_result(lane, message.candidate, message.text);
      break;
    case LaneMessage::Kind::ended:
      if (lane.left() > 0) {
        batch_failed(lane, message.text.empty() ? "the run ended before its time" : message.text,
                     message.exit_code == 0 ? exit_internal : message.exit_code);
      } else {
        close_batch(lane);
      }
      // The fault that broke a run may have broken its process.
      if (!message.text.empty()) stop_process(lane);
      break;
  }
}

void Service::keep_result(ServiceLane& lane, std::size_t index, const std::string& text) {
  const auto wrong = [&] {
    batch_failed(lane, "the lane sent a result that is not of the candidate that it was given",
                 exit_internal);
    stop_process(lane);
  };
  if (index >= lane.batch.size() || lane.is_done[index]) return wrong();
  GradeJob& job = jobs_.at(lane.batch[index].id);
  // Clients see the names that they gave, and not the service's folders.
  const std::string own = lane.folder.string() + "/" + job.id + "/";
  const auto escaped = [](const std::string& path) {
    const std::string quoted = Json(path).dump(-1, ' ', false, Json::error_handler_t::replace);
    return quoted.substr(1, quoted.size() - 2);
  };
  if (text.find(escaped(own)) == text.npos) return wrong();
  const std::string shown =
      replace_all(replace_all(text, escaped(own), ""), escaped(lane.folder.string() + "/problem/"), "");
  if (!finish(job, shown)) return wrong();
  charge(lane, wall_clock());
  lane.is_done[index] = true;
  lane.refusals = 0;
  lane.backoff_s = 0;
}

bool Service::finish(GradeJob& job, const std::string& text) {
  const auto record = parse_record(text, {});
  if (!record || !*record || (*record)->candidates.size() != 1) return false;
  if (const auto written = write_file_atomically(record_file(job.id), text); !written)
    options_.note(to_string(written.errors()));
  end(job, JobState::finished, [&] { return graded_view(job, **record); });
  return true;
}

void Service::charge(ServiceLane& lane, double now) {
  if (!lane.batch.empty()) {
    queue_.charge(lane.batch.front().owner, now - lane.charged_until);
    quotas_.charge(lane.batch.front().owner, now - lane.charged_until);
  }
  lane.charged_until = now;
}

void Service::close_batch(ServiceLane& lane) {
  charge(lane, wall_clock());
  std::error_code ignored;
  fs::remove_all(lane.folder, ignored);
  lane.close(wall_clock());
}

void Service::stop_process(ServiceLane& lane) {
  lane.process.reset();
  lane.last.clear();
}

void Service::interrupt(ServiceLane& lane, bool alone) {
  stop_process(lane);
  for (std::size_t i = lane.batch.size(); i-- > 0;) {
    if (lane.is_done[i]) continue;  // it may be forgotten by now
    GradeJob& job = jobs_.at(lane.batch[i].id);
    if (job.has_ended()) continue;
    job.is_alone = job.is_alone || alone;
    enqueue(job, true);
  }
  close_batch(lane);
}

void Service::batch_failed(ServiceLane& lane, const std::string& why, int exit_code) {
  bool any_begun = false;
  for (std::size_t i = 0; i < lane.batch.size(); ++i)
    any_begun = any_begun || (lane.has_begun[i] && !lane.is_done[i]);
  for (std::size_t i = lane.batch.size(); i-- > 0;) {
    if (lane.is_done[i]) continue;  // it may be forgotten by now
    GradeJob& job = jobs_.at(lane.batch[i].id);
    if (job.has_ended()) continue;
    const bool is_blamed = lane.has_begun[i] || !any_begun;
    if (!is_blamed) {
      enqueue(job, true);
      continue;
    }
    const std::string shown = replace_all(why, lane.folder.string() + "/problem/", "");
    not_graded(job, fault_of(exit_code), replace_all(shown, lane.folder.string() + "/" + job.id + "/", ""));
  }
  close_batch(lane);
  if (exit_code != exit_usage && !any_begun) refuse(lane, why);
}

void Service::not_graded(GradeJob& job, const std::string& fault, const std::string& why) {
  job.failures += 1;
  // A wrong problem file stays wrong.
  if (job.failures >= 2 || fault == "problem") {
    end(job, JobState::finished, [&] { return failed_view(job, fault.c_str(), why); });
    return;
  }
  job.is_alone = true;
  enqueue(job, true);
}

void Service::refuse(ServiceLane& lane, const std::string& why) {
  lane.refusals += 1;
  if (lane.refusals < ServiceLane::most_refusals) return;
  lane.refusals = 0;
  lane.backoff_s = std::min(3600.0, std::max(60.0, 2 * lane.backoff_s));
  lane.is_quarantined = true;
  lane.since = wall_clock();
  lane.quarantined_until = lane.since + lane.backoff_s;
  options_.note(fmt::format("{} gets no work for {:g} s, since it refused {} times in a row: {}", lane.device,
                            lane.backoff_s, ServiceLane::most_refusals, printable_line(why.substr(0, 500))));
}

}  // namespace kgrade
