#include "lanes/dispatcher.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

// How often builders are given new jobs of the queue. A builder that has ended its work gets more at once.
constexpr double build_each_s = 0.1;
// A lane that has reported no progress for so long hangs. The candidate's own time does not count here, since
// the run limit bounds it. The longest action of the lane itself, a call of the oracle or a baseline, may
// take 300 s.
constexpr double longest_silence_s = 3600;
// The most bytes of texts in a batch; one job alone may have more. A lane elsewhere gets these texts in one
// line.
constexpr std::size_t most_bytes = std::size_t{32} << 20;
// The most rounds of reading from lanes before the dispatcher looks at the clock.
constexpr int most_reads = 1000;
// After this time without a refusal, a lane tries the problems that it has set aside again.
constexpr double set_aside_s = 600;
// A lane elsewhere that takes longer to start may get no machine for hours, so no job waits for it.
constexpr double awaited_s = 600;
// The time that a lane elsewhere has to end the processes that it has started there.
constexpr double to_end_s = 2;

// Stands for any builder in the data of epoll, which is otherwise the lane that has sent something.
constexpr LaneSlot* of_a_builder = nullptr;

}  // namespace

// --- Lanes ---

std::size_t LaneSlot::left() const {
  return static_cast<std::size_t>(std::count(is_done.begin(), is_done.end(), false));
}

std::optional<std::size_t> LaneSlot::index_of(const std::string& job) const {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].id == job && !is_done[i]) return i;
  }
  return std::nullopt;
}

const QueuedJob* LaneSlot::current() const {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (has_begun[i] && !is_done[i]) return &batch[i];
  }
  return nullptr;
}

Dispatcher::Dispatcher(DispatcherOptions options, DispatcherClient& client)
    : options_(std::move(options)),
      client_(client),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      queue_(options_.devices.size()),
      ahead_(options_.build_jobs, options_.lane_command,
             [this](const BuildTask& task) -> std::optional<LaneJob> {
               auto job = client_.lane_job({task.key}, build_id(task.key));
               if (!job) return std::nullopt;  // grading will fail for this reason too, and report it
               job->options.device = options_.devices.front();
               return *std::move(job);
             }),
      looked_at_(now()) {
  for (const std::string& device : options_.devices) {
    LaneSlot& lane = lanes_.emplace_back();
    lane.number = lanes_.size() - 1;
    lane.name = fmt::format("lane {}", lanes_.size());
    lane.device = device;
    lane.since = looked_at_;
  }
}

Dispatcher::~Dispatcher() {
  for (LaneSlot& lane : lanes_) {
    if (lane.process) lane.process->ask_to_end();
  }
}

bool Dispatcher::is_there(const LaneSlot& lane) const {
  return !options_.lane_command.is_elsewhere || lane.host;
}

bool Dispatcher::is_paused(const LaneSlot& lane) const {
  return lane.batch.empty() && now() < lane.paused_until;
}

bool Dispatcher::works(const LaneSlot& lane) const {
  const bool is_awaited = lane.process && now() < lane.since + awaited_s;
  return now() >= lane.paused_until && (is_there(lane) || is_awaited);
}

// A lane elsewhere may have to wait for a machine, so it is started as soon as there may be work for it.
bool Dispatcher::is_ready(LaneSlot& lane) {
  if (options_.lane_command.is_elsewhere && !lane.process) {
    const auto has_process = [](const LaneSlot& one) { return one.process.has_value(); };
    const auto started = std::count_if(lanes_.begin(), lanes_.end(), has_process);
    if (!options_.expects_more && static_cast<std::size_t>(started) >= left()) return false;
    if (const Failure errors = start_process(lane)) refuse(lane, "", to_string(*errors), true);
  }
  return is_there(lane);
}

Failure Dispatcher::start_process(LaneSlot& lane) {
  auto process = options_.start_lane ? options_.start_lane(lane.number)
                                     : Lane::start(options_.lane_command, lane.number);
  if (!process) return process.errors();
  lane.process = std::move(*process);
  lane.since = now();
  wait_for(lane.process->descriptor(), &lane);
  return std::nullopt;
}

void Dispatcher::stop_process(LaneSlot& lane) {
  if (lane.process && options_.lane_command.is_elsewhere) {
    lane.process->ask_to_end();
    ending_.emplace_back(std::move(*lane.process), now() + to_end_s);
  }
  lane.process.reset();
  lane.host.reset();
  lane.warmth.cool_down();
}

void Dispatcher::wait_for(int descriptor, LaneSlot* lane) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (lane != of_a_builder && lane->process->has_unsent()) event.events |= EPOLLOUT;
  event.data.ptr = lane;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);  // a second time, it changes nothing
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

// --- Jobs ---

void Dispatcher::add(QueuedJob job) {
  is_offered_ = false;
  queue_.add(std::move(job));
}

void Dispatcher::give_back(QueuedJob job) {
  is_offered_ = false;
  client_.waits_again(job.id);
  queue_.give_back(std::move(job));
}

void Dispatcher::remove(const std::string& id) {
  queue_.remove(id);
  for (LaneSlot& lane : lanes_) {
    const auto index = lane.index_of(id);
    if (!index) continue;
    lane.is_done[*index] = true;
    interrupt(lane, false);
  }
  ended(id);
}

void Dispatcher::ended(const std::string& id) {
  failures_.erase(id);
  if (ahead_.horizon() == 0) return;
  ahead_.finished(id);
  client_.batch_ended(build_id(id));
}

std::size_t Dispatcher::left() const {
  std::size_t jobs = queue_.size();
  for (const LaneSlot& lane : lanes_) jobs += lane.left();
  return jobs;
}

const LaneSlot* Dispatcher::lane_of(const std::string& id) const {
  for (const LaneSlot& lane : lanes_) {
    if (lane.index_of(id)) return &lane;
  }
  return nullptr;
}

// --- Handing out ---

void Dispatcher::hand_out() {
  build_ahead();
  std::vector<LaneSlot*> ready;
  for (LaneSlot& lane : lanes_) {
    if (!is_paused(lane) && is_ready(lane)) ready.push_back(&lane);
  }
  queue_.divide_among(ready.size());
  for (LaneSlot* const lane : ready) {
    if (!lane->batch.empty() || queue_.size() == 0) continue;
    if (now() > lane->refused_at + set_aside_s) lane->warmth.forget_refusals();
    // If one lane cannot be started now, another one hardly can.
    if (auto batch = next_batch(*lane); !batch.empty() && !start(*lane, std::move(batch))) break;
  }
  end_refused_problems();
}

// Jobs that a builder is building come last, so that no lane waits for a compiler while it could grade. If
// more jobs may come, a lane gets only jobs that are built. There is one exception: if jobs are waiting and
// no builder works on them, builders cannot work, for lack of a cache, room or processes. Then a lane also
// gets jobs that are not built.
std::vector<QueuedJob> Dispatcher::next_batch(const LaneSlot& lane) {
  const auto take = [&](const JobQueue::IsReady& is_ready) {
    return queue_.take(lane.warmth, JobQueue::largest_batch, most_bytes, [&](const QueuedJob& job) {
      const bool avoids = job.avoided == lane.name && has_other(lane, job.batch);
      return !avoids && (!is_ready || is_ready(job));
    });
  };
  if (ahead_.horizon() == 0) return take(nullptr);
  auto batch = take([this](const QueuedJob& job) {
    return options_.expects_more ? ahead_.was_built(job.id) : !ahead_.is_being_built(job.id);
  });
  const bool waits = options_.expects_more && !(is_offered_ && ahead_.is_idle());
  return batch.empty() && !waits ? take(nullptr) : batch;
}

bool Dispatcher::has_other(const LaneSlot& lane, const std::string& problem) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const LaneSlot& other) {
    return &other != &lane && works(other) && !other.warmth.is_set_aside(problem);
  });
}

bool Dispatcher::start(LaneSlot& lane, std::vector<QueuedJob> batch) {
  lane.warmth.took(batch.front().batch);
  std::vector<std::string> ids;
  for (const QueuedJob& job : batch) ids.push_back(job.id);
  lane.batch = std::move(batch);
  lane.batch_id = random_id();
  lane.has_begun.assign(ids.size(), false);
  lane.is_done.assign(ids.size(), false);
  lane.spender = ids.size();
  lane.spent_s = lane.away_s = 0;
  lane.since = lane.heard_at = lane.charged_until = now();
  auto job = client_.lane_job(ids, lane.batch_id);
  Failure errors = job ? std::nullopt : Failure(job.errors());
  if (!errors && !lane.process) errors = start_process(lane);
  if (errors) {
    // The jobs are not at fault, so they wait for a lane that works.
    interrupt(lane, false);
    refuse(lane, "", to_string(*errors), true);
    return false;
  }
  job->options.device = lane.device;
  job->batch = lane.batch_id;
  lane.process->give(*std::move(job));  // if the lane is gone, its socket says so
  wait_for(lane.process->descriptor(), &lane);
  return true;
}

// The jobs whose candidates are graded next, in that order. The lanes take turns: each adds a job of its
// batch, or later a job that it is likely to get next.
std::vector<BuildTask> Dispatcher::upcoming() const {
  std::vector<std::vector<QueuedJob>> waiting;
  std::map<std::string, std::vector<QueuedJob>> next;  // by the problem that a lane prefers
  std::size_t longest = 0;
  for (const LaneSlot& lane : lanes_) {
    std::vector<QueuedJob>& jobs = waiting.emplace_back();
    for (std::size_t i = 0; i < lane.batch.size(); ++i) {
      if (!lane.has_begun[i] && !lane.is_done[i]) jobs.push_back(lane.batch[i]);
    }
    const auto [place, is_new] = next.try_emplace(lane.warmth.preferred());
    if (is_new) place->second = queue_.upcoming(lane.warmth, ahead_.horizon());
    jobs.insert(jobs.end(), place->second.begin(), place->second.end());
    longest = std::max(longest, jobs.size());
  }
  std::vector<BuildTask> tasks;
  std::set<std::string> seen;
  const auto add = [&](const QueuedJob& job) {
    if (seen.insert(job.id).second) tasks.push_back({job.id, job.batch, job.owner});
  };
  for (std::size_t i = 0; i < longest && tasks.size() < ahead_.horizon(); ++i) {
    for (const auto& jobs : waiting) {
      if (i < jobs.size()) add(jobs[i]);
    }
  }
  // The first job of each owner is added, so that each owner has something to build.
  for (const QueuedJob& job : queue_.firsts()) add(job);
  return tasks;
}

// This looks through the queue, so it must not happen at each message of a lane.
void Dispatcher::build_ahead() {
  if (ahead_.horizon() == 0) return;
  const bool is_awaited = !is_offered_ && ahead_.is_idle();
  if (now() < next_building_ && !is_awaited) return;
  next_building_ = now() + build_each_s;
  is_offered_ = true;
  ahead_.go_on(upcoming());
  for (const int descriptor : ahead_.descriptors()) wait_for(descriptor, of_a_builder);
}

// --- Hearing ---

bool Dispatcher::hear() {
  // Messages of lanes are read before the clock, so that a lane whose message has come is not late.
  for (int read = 0; read < most_reads; ++read) {
    epoll_event events[64];
    const int count = ::epoll_wait(epoll_.get(), events, 64, 0);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr == of_a_builder) {
        ahead_.hear();
        next_building_ = 0;
      } else {
        hear(*static_cast<LaneSlot*>(events[i].data.ptr));
      }
    }
    if (count <= 0) break;
  }
  return look_at_the_clock();
}

void Dispatcher::hear(LaneSlot& lane) {
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
    if (!lane.batch.empty() && message->batch == lane.batch_id) take(lane, *message);
  }
  if (!alive && lane.process) process_ended(lane);
}

void Dispatcher::take(LaneSlot& lane, const LaneMessage& message) {
  if (message.kind != LaneMessage::Kind::spent) lane.heard_at = now();
  const std::size_t index = message.candidate;
  const bool is_open = index < lane.batch.size() && !lane.is_done[index];
  switch (message.kind) {
    case LaneMessage::Kind::begun:
      if (!is_open) break;
      lane.has_begun[index] = true;
      lane.doing.clear();
      lane.warmth.forget_refusals(lane.batch[index].batch);
      client_.begun(lane.batch[index].id);
      break;
    case LaneMessage::Kind::spent:
      // While only the candidate works, the lane sends nothing but its growing time.
      if (index != lane.spender || message.seconds > lane.spent_s) lane.heard_at = now();
      // The candidate is built before `begun` comes.
      if (is_open) client_.at_work(lane.batch[index].id);
      lane.spender = index;
      lane.spent_s = message.seconds;
      break;
    case LaneMessage::Kind::alive:
      break;
    case LaneMessage::Kind::doing:
      lane.doing = lane.current() == nullptr || client_.shows_doing(lane.current()->id)
                       ? printable_line(message.text.substr(0, 200))
                       : "";
      break;
    case LaneMessage::Kind::graded:
      keep_result(lane, index, message.text);
      break;
    case LaneMessage::Kind::ended:
      batch_failed(lane, message.text.empty() ? "the run ended before its time" : message.text,
                   message.exit_code == 0 ? exit_internal : message.exit_code,
                   message.exit_code == exit_machine);
      // The fault that broke a run may have broken its process.
      if (!message.text.empty()) stop_process(lane);
      break;
  }
}

void Dispatcher::keep_result(LaneSlot& lane, std::size_t index, const std::string& text) {
  std::string why = "the lane sent a result that is not of the candidate that it was given";
  if (index < lane.batch.size() && !lane.is_done[index])
    why = client_.result(lane.batch[index].id, lane.batch_id, text);
  if (!why.empty()) {
    batch_failed(lane, why, exit_internal);
    return stop_process(lane);
  }
  charge(lane, now());
  lane.is_done[index] = true;
  lane.is_trusted = true;
  lane.doing.clear();
  lane.refusals = 0;
  lane.refused_problems.clear();
  lane.pause_s = lane.paused_until = 0;
  lane.blamed.clear();
  lane.made_alone.clear();
  ended(lane.batch[index].id);
}

void Dispatcher::process_ended(LaneSlot& lane) {
  const LaneEnd how = lane.process->end();
  const bool is_elsewhere = options_.lane_command.is_elsewhere;
  stop_process(lane);
  if (!lane.batch.empty()) {
    batch_failed(lane, "the process that graded " + how.description,
                 how.was_killed || is_elsewhere ? exit_machine : exit_internal);
  } else if (is_elsewhere) {
    refuse(lane, "", "the lane " + how.description, true);
  }
}

// --- The clock ---

bool Dispatcher::look_at_the_clock() {
  const double now = this->now();
  for (LaneSlot& lane : lanes_) charge(lane, now);
  const double away = now - std::exchange(looked_at_, now);
  was_away_ = !was_away_ && away > longest_tick_s;
  for (LaneSlot& lane : lanes_) {
    // A lane's own measurement of time may include the pause. No candidate is charged for the pause.
    if (away > longest_tick_s) lane.away_s += away;
    if (was_away_) lane.heard_at += away;
  }
  if (was_away_) return false;
  for (LaneSlot& lane : lanes_) {
    if (lane.spender >= lane.batch.size() || lane.is_done[lane.spender]) continue;
    const QueuedJob& job = lane.batch[lane.spender];
    if (lane.spent_s - lane.away_s <= job.run_limit_s) continue;
    // Other jobs of the batch may have taken the time. Only a job that was alone gets a verdict.
    if (lane.batch.size() == 1) {
      lane.is_done[0] = true;
      client_.overran(job.id);
      ended(job.id);
    }
    interrupt(lane, true);
  }
  for (LaneSlot& lane : lanes_) {
    if (lane.process && lane.process->is_silent(SteadyClock().now())) process_ended(lane);
    if (lane.batch.empty() || now - lane.heard_at < longest_silence_s) continue;
    stop_process(lane);
    batch_failed(lane,
                 fmt::format("the lane hung: it said nothing for {:g} s, the last time '{}'",
                             longest_silence_s, lane.doing),
                 exit_machine);
  }
  for (auto& [lane, until] : ending_) {
    if (now > until) lane.kill();
  }
  std::erase_if(ending_, [](const auto& one) { return one.first.has_ended(); });
  return true;
}

void Dispatcher::charge(LaneSlot& lane, double now) {
  if (!lane.batch.empty()) {
    // No owner is charged for a pause of this process.
    const bool was_away = now - looked_at_ > longest_tick_s;
    const double seconds = std::max(0.0, (was_away ? looked_at_ : now) - lane.charged_until);
    queue_.charge(lane.batch.front().owner, seconds);
    client_.charged(lane.batch.front().owner, seconds);
  }
  lane.charged_until = now;
}

}  // namespace kgrade
