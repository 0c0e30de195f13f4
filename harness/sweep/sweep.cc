#include "sweep/sweep.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/text.h"
#include "sweep/build_ahead.h"
#include "sweep/earlier_results.h"
#include "sweep/lack_of_python.h"
#include "sweep/queue.h"
#include "sweep/report.h"

namespace kgrade {
namespace {

constexpr int look_again_ms = 500;
constexpr const char* other_result =
    "the result that came is not of this candidate as it was when the sweep began: were files changed?";

// One device, with its lane and the work of this lane.
struct LaneSlot {
  std::string device;
  std::optional<Lane> lane;  // started with its first batch
  std::optional<SweepBatch> batch;
  std::optional<std::size_t> last_group;
  std::size_t graded = 0;  // in the batch
  bool begun = false;      // the next task of the batch has begun
  std::string doing;
  LaneHealth health;
  bool retired = false;
};

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results)
      : plan_(plan),
        options_(options),
        results_(results),
        finder_(plan, options.lane.effort),
        earlier_(find_earlier_results(plan, options, results)),
        found_(std::move(earlier_.found)),
        no_python_(options.lane_command.is_elsewhere
                       ? LackOfPython()
                       : find_lack_of_python(plan, found_, options.lane.python)),
        queue_(open_tasks(), options.devices.size()),
        ahead_(options.build_jobs, options.lane_command,
               [this](const BuildTask& task) { return job_of(task); }),
        start_(clock_.now()),
        time_left_(start_) {
    for (const std::string& device : options.devices) {
      slots_.push_back({});
      slots_.back().device = device;
    }
  }

  Result<SweepOutcome> run() {
    if (no_python_.is_named) return no_python_.errors;
    if (!earlier_.note.empty()) options_.events.note(earlier_.note);
    for (const auto& record : found_) {
      if (record) options_.events.taken_over(*record);
    }
    while (queue_.left() > 0) {
      if (lanes_left() == 0) return no_lane_left();
      if (ahead_.horizon() > 0) ahead_.go_on(upcoming());
      if (const auto error = hand_out()) return *error;
      if (const auto error = listen()) return *error;
      show();
    }
    return outcome();
  }

 private:
  using Trouble = std::optional<Error>;

  // The tasks without a result, with their groups.
  std::vector<std::optional<std::size_t>> open_tasks() {
    std::vector<std::optional<std::size_t>> open(plan_.tasks.size());
    for (std::size_t task = 0; task < open.size(); ++task) {
      if (found_[task]) {
        taken_over_ += 1;
      } else {
        open[task] = plan_.tasks[task].group;
      }
    }
    for (const std::size_t task : no_python_.tasks) open[task].reset();
    done_ = taken_over_;
    return open;
  }

  // The tasks in the order in which they will be graded, after those that the lanes are grading.
  std::vector<BuildTask> upcoming() const {
    std::vector<std::size_t> tasks;
    std::vector<std::size_t> current;
    for (std::size_t ahead = 1; ahead < SweepQueue::largest_batch; ++ahead) {
      for (const LaneSlot& slot : slots_) {
        if (!slot.batch || slot.graded + ahead >= slot.batch->tasks.size()) continue;
        tasks.push_back(slot.batch->tasks[slot.graded + ahead]);
      }
    }
    for (const LaneSlot& slot : slots_) {
      if (slot.last_group) current.push_back(*slot.last_group);
    }
    const std::vector<std::size_t> waiting = queue_.upcoming(current, ahead_.horizon());
    tasks.insert(tasks.end(), waiting.begin(), waiting.end());
    std::vector<BuildTask> all;
    for (const std::size_t task : tasks)
      all.push_back({std::to_string(task), std::to_string(plan_.tasks[task].group)});
    return all;
  }

  // Gives work to every idle lane.
  Trouble hand_out() {
    for (LaneSlot& slot : slots_) {
      if (slot.batch || slot.retired) continue;
      if (options_.lane_command.is_elsewhere) {
        if (const auto error = start_elsewhere(slot)) return error;
        if (!slot.lane || !slot.lane->hello()) continue;
      }
      // Another candidate's turn comes before one that waits for its compiler.
      auto batch = queue_.take(slot.last_group, slot.health.avoided(), [this](std::size_t task) {
        return ahead_.is_being_built(std::to_string(task));
      });
      if (!batch) continue;
      if (!slot.lane) {
        if (const auto error = start(slot)) return error;
      }
      slot.last_group = batch->group;
      slot.graded = 0;
      slot.begun = false;
      const LaneJob job = job_of(*batch, slot.device);
      slot.batch = std::move(*batch);
      slot.lane->give(job);  // if the lane is gone, its socket says so
    }
    return std::nullopt;
  }

  // A lane elsewhere may have to wait for a machine, so it gets work only when it has said that it is there.
  Trouble start_elsewhere(LaneSlot& slot) {
    const auto is_started = [](const LaneSlot& each) { return each.lane.has_value(); };
    const auto started = std::count_if(slots_.begin(), slots_.end(), is_started);
    if (slot.lane || static_cast<std::size_t>(started) >= queue_.left()) return std::nullopt;
    return start(slot);
  }

  Trouble start(LaneSlot& slot) {
    auto lane = Lane::start(options_.lane_command, static_cast<std::size_t>(&slot - slots_.data()));
    if (!lane) return lane.error();
    slot.lane = std::move(*lane);
    return std::nullopt;
  }

  LaneJob job_of(const SweepBatch& batch, const std::string& device) const {
    LaneJob job = job_for(options_.lane, plan_.groups[batch.group].problem);
    job.options.device = device;
    for (const std::size_t task : batch.tasks) job.candidates.push_back(plan_.tasks[task].candidate.string());
    job.numbers = batch.tasks;
    return job;
  }

  LaneJob job_of(const BuildTask& task) const {
    const std::size_t number = std::stoul(task.key);
    return job_of({plan_.tasks[number].group, {number}}, options_.devices.front());
  }

  Trouble listen() {
    std::vector<pollfd> sockets;
    std::vector<LaneSlot*> owners;
    for (LaneSlot& slot : slots_) {
      if (!slot.lane) continue;
      const int wanted = slot.lane->has_unsent() ? POLLIN | POLLOUT : POLLIN;
      sockets.push_back({slot.lane->descriptor(), static_cast<short>(wanted), 0});
      owners.push_back(&slot);
    }
    for (const int descriptor : ahead_.descriptors()) sockets.push_back({descriptor, POLLIN, 0});
    if (::poll(sockets.data(), sockets.size(), look_again_ms) > 0) ahead_.hear();
    for (std::size_t i = 0; i < owners.size(); ++i) {
      LaneSlot& slot = *owners[i];
      bool is_alive = true;
      if ((sockets[i].revents & POLLOUT) != 0) slot.lane->send();  // if it is gone, the next read says so
      if ((sockets[i].revents & ~POLLOUT) != 0) {
        is_alive = slot.lane->read();
        if (const auto error = take_messages(slot)) return error;
      }
      if (slot.lane && (!is_alive || slot.lane->is_silent(clock_.now()))) clean_up_after(slot);
    }
    return std::nullopt;
  }

  Trouble take_messages(LaneSlot& slot) {
    while (slot.lane) {
      const auto message = slot.lane->next();
      if (!message) break;
      if (!slot.batch) continue;
      switch (message->kind) {
        case LaneMessage::Kind::begun:
          slot.begun = true;
          break;
        case LaneMessage::Kind::doing:
          slot.doing = message->text;
          break;
        case LaneMessage::Kind::spent:  // a sweep has no limit for a candidate's whole run
        case LaneMessage::Kind::alive:
          break;
        case LaneMessage::Kind::graded:
          if (auto error = keep(slot, *message)) return error;
          break;
        case LaneMessage::Kind::ended:
          end_batch(slot, message->text.empty() ? "the run ended before its time" : message->text,
                    message->exit_code);
          // The fault that broke a run may have broken its process.
          if (!message->text.empty()) slot.lane.reset();
          break;
      }
    }
    return std::nullopt;
  }

  // The result of the candidate whose turn it is. Nothing if the message holds anything else.
  std::optional<Record> result_in(const LaneSlot& slot, const LaneMessage& message) const {
    const std::vector<std::size_t>& tasks = slot.batch->tasks;
    if (slot.graded >= tasks.size() || message.candidate != slot.graded) return std::nullopt;
    auto record = read_result(message.text, results_.path());
    if (!record || finder_.find(*record) != tasks[slot.graded]) return std::nullopt;
    return record;
  }

  // Keeps a result. A lane that sends a result for another candidate cannot be trusted with the rest of this
  // batch.
  Trouble keep(LaneSlot& slot, const LaneMessage& message) {
    auto record = result_in(slot, message);
    if (!record) {
      slot.begun = true;
      end_batch(slot, other_result, exit_internal);
      slot.lane.reset();
      return std::nullopt;
    }
    if (auto written = results_.append(message.text); !written) return written.error();
    const std::size_t task = slot.batch->tasks[slot.graded];
    slot.graded += 1;
    slot.begun = false;
    slot.health.succeeded();
    found_[task] = std::move(*record);
    queue_.finished(task);
    ahead_.finished(std::to_string(task));
    done_ += 1;
    time_left_.result_at(clock_.now());
    options_.events.result(*found_[task], done_, found_.size());
    return std::nullopt;
  }

  void end_batch(LaneSlot& slot, const std::string& why, int exit_code) {
    end_batch(slot, why, exit_code, exit_code);
  }

  // `reported`: the exit code of the sweep if this is the candidate's last chance.
  void end_batch(LaneSlot& slot, const std::string& why, int exit_code, int reported) {
    if (slot.graded < slot.batch->tasks.size()) blame(slot, why, exit_code, reported);
    slot.batch.reset();
    slot.doing.clear();
  }

  // Blames the candidates, or the lane. A broken lane must not empty the queue by refusing what others can
  // grade. If there are no others, the lane is blamed only for failures that it attributes to its machine.
  void blame(LaneSlot& slot, const std::string& why, int exit_code, int reported) {
    const SweepBatch& batch = *slot.batch;
    const bool machine = exit_code == exit_machine;
    const bool refused = machine || (!slot.begun && exit_code != exit_usage);
    // A lane elsewhere that ends before it begins has no word for what its machine lacks.
    const bool alone = lanes_left() == 1 && !machine && (slot.begun || !options_.lane_command.is_elsewhere);
    const bool charge = !refused || slot.health.is_good() || alone;
    if (charge) {
      queue_.failed(batch, slot.graded, slot.begun, why, reported);
      release_given_up();
    } else {
      queue_.give_back(batch, slot.graded);
    }
    if (!refused) return;
    slot.health.refused(batch.group, charge ? std::optional(batch.tasks[slot.graded]) : std::nullopt);
    if (slot.health.is_broken() && !alone) retire(slot, why);
  }

  void release_given_up() {
    for (; released_ < queue_.failures().size(); ++released_)
      ahead_.finished(std::to_string(queue_.failures()[released_].task));
  }

  void retire(LaneSlot& slot, const std::string& why) {
    if (const auto task = slot.health.blamed()) queue_.take_back_failure(*task);
    slot.retired = true;
    slot.lane.reset();
    last_words_ = fmt::format("{}: {}", slot.device, why);
    options_.events.note(fmt::format("{} is left out of the sweep, since it {} {} times in a row: {}",
                                     slot.device, slot.batch ? "refused to grade" : "ended without a result",
                                     LaneHealth::most_refusals, why));
  }

  std::size_t lanes_left() const {
    return static_cast<std::size_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const LaneSlot& slot) { return !slot.retired; }));
  }

  Error no_lane_left() const {
    return machine_error(
        fmt::format("no device is left that grades; the last one was {}", last_words_),
        "`kgrade doctor` says what this machine lacks; results are kept, and --resume goes on from there");
  }

  void clean_up_after(LaneSlot& slot) {
    const LaneEnd end = slot.lane->end();
    const bool is_elsewhere = options_.lane_command.is_elsewhere;
    const int reported = end.was_killed || is_elsewhere ? exit_machine : exit_internal;
    const std::string why = "the process that graded " + end.description;
    if (slot.batch) {
      end_batch(slot, why, exit_internal, reported);
    } else if (is_elsewhere) {
      slot.health.did_not_start();
      if (slot.health.is_broken()) retire(slot, "the lane " + end.description);
    }
    slot.lane.reset();
  }

  void show() {
    const double now = clock_.now();
    std::string text = fmt::format("{}/{}", done_, found_.size());
    if (const auto seconds = time_left_.seconds(queue_.left(), now))
      text += ", " + describe_time_left(*seconds);
    for (const LaneSlot& slot : slots_) {
      if (slot.batch)
        text += fmt::format("  [{}] {}", plan_.groups[slot.batch->group].label(), printable(slot.doing));
      if (!slot.batch && slot.lane && !slot.lane->hello())
        text += fmt::format("  [{}] starting", slot.device);
    }
    options_.events.progress(text);
  }

  SweepOutcome outcome() {
    for (LaneSlot& slot : slots_) {
      if (slot.lane) slot.lane->ask_to_end();
    }
    SweepOutcome outcome;
    for (auto& record : found_) {
      if (record) outcome.records.push_back(std::move(*record));
    }
    outcome.taken_over = taken_over_;
    outcome.ungraded = plan_.refused;
    outcome.unmatched = plan_.unmatched;
    for (const std::size_t task : no_python_.tasks)
      outcome.ungraded.push_back(without_verdict(plan_, task, without_python, exit_machine));
    outcome.lacks = no_python_.errors;
    for (const SweepFailure& one : queue_.failures())
      outcome.ungraded.push_back(without_verdict(plan_, one.task, one.message, one.exit_code));
    outcome.seconds = clock_.now() - start_;
    return outcome;
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  ResultFile& results_;
  TaskFinder finder_;
  EarlierResults earlier_;
  std::vector<std::optional<Record>> found_;  // by task
  LackOfPython no_python_;
  std::size_t taken_over_ = 0;
  std::size_t done_ = 0;
  SweepQueue queue_;
  BuildAhead ahead_;
  std::size_t released_ = 0;  // of the queue's failures
  std::vector<LaneSlot> slots_;
  std::string last_words_;  // of the lane that was retired last
  SteadyClock clock_;
  double start_;
  TimeLeft time_left_;
};

}  // namespace

Result<SweepOutcome> sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results) {
  return Sweep(plan, options, results).run();
}

}  // namespace kgrade
