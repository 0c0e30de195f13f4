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

// How often builders are given what is new in the queue. One that has ended its work gets more at once.
constexpr double build_each_seconds = 0.1;
// A lane that has said nothing for so long hangs. The candidate's own time does not count: its run_limit_s is
// for that. The longest action of the lane itself, a call of the oracle or a baseline, may take 300 s.
constexpr double longest_lane_silence_s = 3600;
// The texts of a batch, unless one job has more. They are one line for a lane elsewhere.
constexpr std::size_t most_bytes = std::size_t{32} << 20;
// What is read of the lanes before the service looks at the clock.
constexpr int most_reads = 1000;

// Stands for any builder, where epoll names the lane that has spoken.
constexpr ServiceLane* of_a_builder = nullptr;

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
  // What lanes have said comes before what the clock says of them.
  for (int read = 0; read < most_reads; ++read) {
    epoll_event events[64];
    const int count = ::epoll_wait(epoll_.get(), events, 64, 0);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr == of_a_builder) {
        ahead_.hear();
        next_building_ = 0;
      } else {
        hear(*static_cast<ServiceLane*>(events[i].data.ptr));
      }
    }
    if (count <= 0) break;
  }
  look_at_the_clock();
  build_ahead();
  hand_out();
}

void Service::hand_out() {
  std::vector<ServiceLane*> ready;
  for (ServiceLane& lane : lanes_) {
    if (!is_quarantined(lane) && is_ready(lane)) ready.push_back(&lane);
  }
  queue_.divide_among(ready.size());
  for (ServiceLane* const one : ready) {
    ServiceLane& lane = *one;
    if (!lane.batch.empty() || queue_.size() == 0) continue;
    const std::vector<QueuedJob> batch = next_batch(lane);
    if (batch.empty()) continue;
    for (const QueuedJob& each : batch) queued_bytes_ -= jobs_.at(each.id).body.size();
    if (!start(lane, batch)) break;
  }
}

bool Service::is_there(const ServiceLane& lane) const {
  return !options_.lane_command.is_elsewhere || lane.host;
}

// A lane elsewhere is started at once, since it may have to wait for a machine.
bool Service::is_ready(ServiceLane& lane) {
  if (options_.lane_command.is_elsewhere && !lane.process) {
    if (const Failure errors = start_process(lane)) refuse(lane, to_string(*errors));
  }
  return is_there(lane);
}

Failure Service::start_process(ServiceLane& lane) {
  auto process = options_.start_lane ? options_.start_lane(lane.number)
                                     : Lane::start(options_.lane_command, lane.number);
  if (!process) return process.errors();
  lane.process = std::move(*process);
  wait_for(lane.process->descriptor(), &lane);
  return std::nullopt;
}

// A lane gets what is built, so that it never stands still for the compiler of one candidate. If no builder
// is at work although there is something to build, none can be: there is no cache, no room or no process.
std::vector<QueuedJob> Service::next_batch(const ServiceLane& lane) {
  const auto take = [&](const FairQueue::IsReady& is_ready) {
    return queue_.take(lane.warmth.preferred(), FairQueue::largest_batch, avoidable(lane.id), most_bytes,
                       is_ready);
  };
  if (ahead_.horizon() == 0) return take(nullptr);
  auto batch = take([this](const QueuedJob& job) { return ahead_.was_built(job.id); });
  return batch.empty() && is_offered_ && ahead_.is_idle() ? take(nullptr) : batch;
}

void Service::wait_for(int descriptor, ServiceLane* lane) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (lane != of_a_builder && lane->process->has_unsent()) event.events |= EPOLLOUT;
  event.data.ptr = lane;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);  // a second time, it changes nothing
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

bool Service::is_quarantined(const std::string& lane) const {
  const auto at = quarantines_.find(lane);
  return at != quarantines_.end() && at->second.holds(now());
}

bool Service::is_quarantined(const ServiceLane& lane) const {
  return lane.batch.empty() && is_quarantined(lane.id);
}

std::string Service::avoidable(const std::string& lane) const {
  const auto works = [&](const std::string& other) { return other != lane && !is_quarantined(other); };
  const bool has_other = std::any_of(lanes_.begin(), lanes_.end(),
                                     [&](const ServiceLane& one) { return works(one.id) && is_there(one); });
  return has_other ? lane : "";
}

bool Service::start(ServiceLane& lane, const std::vector<QueuedJob>& batch) {
  // It is not the jobs' fault, so they wait for a lane that works.
  const auto cannot = [this, &lane](const Errors& errors) {
    interrupt(lane, false);
    refuse(lane, to_string(errors));
    return false;
  };
  lane.begin(batch, random_id(), now());
  lane.folder = fs::absolute(options_.state / "work" / lane.lease);
  lane.problem = jobs_.at(batch.front().id).request.problem_shown();
  LaneOptions options = options_.lane;
  options.device = lane.device;
  std::vector<const GradeJob*> jobs;
  for (const QueuedJob& each : batch) jobs.push_back(&jobs_.at(each.id));
  auto job = lane_job(options, lane.folder, jobs, problems_);
  if (!job) return cannot(job.errors());
  job->lease = lane.lease;
  if (!lane.process) {
    if (const Failure errors = start_process(lane)) return cannot(*errors);
  }
  lane.process->give(*job);  // if the lane is gone, its socket says so
  wait_for(lane.process->descriptor(), &lane);
  return true;
}

// The jobs whose candidates are graded next, in that order: of all batches in turn, and then of the next
// batch.
std::vector<BuildTask> Service::upcoming() const {
  std::vector<BuildTask> tasks;
  std::vector<std::vector<std::string>> waiting;
  std::map<std::string, std::vector<std::string>>
      next;  // in the queue, by the problem that a lane is warm for
  std::size_t longest = 0;
  for (const ServiceLane& lane : lanes_) {
    std::vector<std::string>& ids = waiting.emplace_back();
    for (std::size_t i = 0; i < lane.batch.size(); ++i) {
      if (!lane.has_begun[i] && !lane.is_done[i]) ids.push_back(lane.batch[i].id);
    }
    const auto [place, is_new] = next.try_emplace(lane.warmth.preferred());
    if (is_new) place->second = queue_.upcoming(place->first, ahead_.horizon());
    const std::vector<std::string>& queued = place->second;
    ids.insert(ids.end(), queued.begin(), queued.end());
    longest = std::max(longest, ids.size());
  }
  std::set<std::string> seen;
  const auto add = [&](const std::string& id) {
    const GradeJob& job = jobs_.at(id);
    tasks.push_back({id, job.batch, job.owner});
  };
  for (std::size_t i = 0; i < longest && tasks.size() < ahead_.horizon(); ++i) {
    for (const auto& ids : waiting) {
      if (i < ids.size() && seen.insert(ids[i]).second) add(ids[i]);
    }
  }
  // Each owner has something to build.
  for (const std::string& id : queue_.firsts()) {
    if (seen.insert(id).second) add(id);
  }
  return tasks;
}

std::optional<LaneJob> Service::job_of(const BuildTask& task) const {
  LaneOptions options = options_.lane;
  options.device = options_.devices.front();
  auto job = lane_job(options, build_folder(task.key), {&jobs_.at(task.key)}, problems_);
  if (!job) return std::nullopt;  // the grading will fail for this reason too, and say so
  return *std::move(job);
}

fs::path Service::build_folder(const std::string& id) const {
  return fs::absolute(options_.state / "work" / ("build-" + id));
}

// Looks at the queue, so not at each word of a lane.
void Service::build_ahead() {
  if (ahead_.horizon() == 0) return;
  const bool is_awaited = !is_offered_ && ahead_.is_idle();
  if (now() < next_building_ && !is_awaited) return;
  next_building_ = now() + build_each_seconds;
  is_offered_ = true;
  ahead_.go_on(upcoming());
  for (const int descriptor : ahead_.descriptors()) wait_for(descriptor, of_a_builder);
}

void Service::hear(ServiceLane& lane) {
  if (!lane.process) return;
  if (lane.process->has_unsent()) {
    lane.process->send();  // if the lane is gone, the next read says so
    wait_for(lane.process->descriptor(), &lane);
    pollfd entry{lane.process->descriptor(), POLLIN, 0};
    if (::poll(&entry, 1, 0) == 0) return;
  }
  const bool alive = lane.process->read();
  if (options_.lane_command.is_elsewhere && lane.process->hello() && !lane.host)
    lane.host = printable_line(lane.process->hello()->host.substr(0, 100));
  while (lane.process) {
    const auto message = lane.process->next();
    if (!message) break;
    if (!lane.batch.empty() && message->lease == lane.lease) take(lane, *message);
  }
  if (!alive && lane.process) process_ended(lane);
}

void Service::process_ended(ServiceLane& lane) {
  const LaneEnd how = lane.process->end();
  const bool is_elsewhere = options_.lane_command.is_elsewhere;
  stop_process(lane);
  if (!lane.batch.empty()) {
    batch_failed(lane, "the process that graded " + how.description,
                 how.was_killed || is_elsewhere ? exit_machine : exit_internal);
  } else if (is_elsewhere) {
    refuse(lane, "it " + how.description);
  }
}

void Service::begin(ServiceLane& lane, std::size_t index) {
  GradeJob& job = jobs_.at(lane.batch[index].id);
  lane.has_begun[index] = true;
  job.state = JobState::running;
  job.started_at = wall_clock();
  tell(job, "started", event_of(job));
  job.attempts += 1;
  journal_.append(begun_line(job.id));
}

void Service::take(ServiceLane& lane, const LaneMessage& message) {
  if (message.kind != LaneMessage::Kind::spent) lane.heard_at = now();
  switch (message.kind) {
    case LaneMessage::Kind::begun: {
      if (message.candidate >= lane.batch.size() || lane.is_done[message.candidate]) break;
      begin(lane, message.candidate);
      break;
    }
    case LaneMessage::Kind::spent:
      // While only the candidate works, the lane has nothing to say.
      if (message.candidate != lane.spender || message.seconds > lane.spent_s) lane.heard_at = now();
      // Its build comes before it begins.
      if (message.candidate < lane.batch.size() && !lane.is_done[message.candidate])
        jobs_.at(lane.batch[message.candidate].id).state = JobState::running;
      lane.spender = message.candidate;
      lane.spent_s = message.seconds;
      break;
    case LaneMessage::Kind::alive:
      break;
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
  const auto wrong = [&](const std::string& why =
                             "the lane sent a result that is not of the candidate that it was given") {
    batch_failed(lane, why, exit_internal);
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
  if (const std::string why = finish(job, shown); !why.empty()) return wrong(why);
  charge(lane, now());
  lane.is_done[index] = true;
  quarantines_[lane.id].graded();
}

std::string Service::finish(GradeJob& job, const std::string& text) {
  const auto record = parse_record(text, {});
  if (!record || !*record || (*record)->candidates.size() != 1)
    return "the lane sent no record of the candidate";
  if (std::string why = why_not_of(job, **record); !why.empty()) return why;
  if (const auto written = write_file_atomically(record_file(job.id), text); !written) {
    options_.note(to_string(written.errors()));
  } else {
    job.file_bytes = text.size();
  }
  end(job, JobState::finished, [&] { return graded_view(job, **record); });
  return "";
}

std::string Service::why_not_of(const GradeJob& job, const Record& record) const {
  const GradeRequest& request = job.request;
  const std::string& problem =
      request.slug.empty() ? sha256_hex(request.problem_source) : problems_.at(request.slug).content_sha256;
  if (record.problem_sha256 != problem)
    return "the lane has another version of the problem than the service: after a change of problems, start "
           "both again";
  const fs::path folder = fs::absolute(options_.state / "work" / ("hash-" + random_id()));
  const auto candidate = candidate_sha256(request, folder, Layout::find(options_.lane.problems));
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (!candidate) return to_string(candidate.errors());
  return *candidate == record.candidate().sha256 ? "" : "the lane sent the record of another candidate";
}

void Service::charge(ServiceLane& lane, double now) {
  if (!lane.batch.empty()) {
    // A pause of this process is at nobody's expense.
    const bool was_away = now - looked_at_ > longest_tick_seconds;
    const double seconds = std::max(0.0, (was_away ? looked_at_ : now) - lane.charged_until);
    queue_.charge(lane.batch.front().owner, seconds);
    quotas_.charge(lane.batch.front().owner, seconds, now);
  }
  lane.charged_until = now;
}

void Service::close_batch(ServiceLane& lane) {
  charge(lane, now());
  std::error_code ignored;
  fs::remove_all(lane.folder, ignored);
  lane.close(now());
}

void Service::stop_process(ServiceLane& lane) {
  // Its command may take a moment to end what it has started elsewhere.
  if (lane.process && options_.lane_command.is_elsewhere) {
    lane.process->ask_to_end();
    ending_.emplace_back(std::move(*lane.process), now() + 2);
  }
  lane.process.reset();
  lane.host.reset();
  lane.warmth = {};
}

void Service::end_processes(double now) {
  for (auto& [lane, until] : ending_) {
    if (now > until) lane.kill();
  }
  std::erase_if(ending_, [](const auto& one) { return one.first.has_ended(); });
}

void Service::look_at_run_limits() {
  for (ServiceLane& lane : lanes_) {
    if (lane.spender >= lane.batch.size() || lane.is_done[lane.spender]) continue;
    GradeJob& job = jobs_.at(lane.batch[lane.spender].id);
    if (lane.spent_s - lane.away_s <= job.request.run_limit_s) continue;
    // Others in its batch may have taken the time. Only a job that was alone has its verdict.
    if (lane.batch.size() == 1) end(job, JobState::finished, [&] { return overrun_view(job); });
    interrupt(lane, true);
  }
}

void Service::look_at_silence(double now) {
  for (ServiceLane& lane : lanes_) {
    if (lane.process && lane.process->is_silent(SteadyClock().now())) process_ended(lane);
    if (lane.batch.empty() || now - lane.heard_at < longest_lane_silence_s) continue;
    stop_process(lane);
    batch_failed(lane,
                 fmt::format("the lane hung: it said nothing for {:g} s, the last time '{}'",
                             longest_lane_silence_s, lane.doing),
                 exit_machine);
  }
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
    not_graded(lane, job, fault_of(exit_code),
               replace_all(shown, lane.folder.string() + "/" + job.id + "/", ""));
  }
  close_batch(lane);
  if (exit_code != exit_usage && !any_begun) refuse(lane, why);
}

void Service::not_graded(const ServiceLane& lane, GradeJob& job, const std::string& fault,
                         const std::string& why) {
  job.failures += 1;
  // A wrong problem file stays wrong.
  if (job.failures >= 2 || fault == "problem") {
    end(job, JobState::finished, [&] { return failed_view(job, fault.c_str(), why); });
    return;
  }
  job.is_alone = true;
  job.avoided = lane.id;
  enqueue(job, true);
}

void Service::refuse(const ServiceLane& lane, const std::string& why) {
  Quarantine& quarantine = quarantines_[lane.id];
  if (!quarantine.refused(now())) return;
  options_.note(fmt::format("{} gets no work for {:g} s, since it refused {} times in a row: {}", lane.device,
                            quarantine.seconds(), Quarantine::most_refusals,
                            printable_line(why.substr(0, 500))));
}

}  // namespace kgrade
