#include "sweep/sweep.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.h"
#include "compile/python_interpreter.h"
#include "sweep/earlier_results.h"
#include "sweep/report.h"

namespace kgrade {
namespace {

constexpr int look_again_ms = 100;
constexpr const char* other_result =
    "the result that came is not of this candidate as it was when the sweep began: were files changed?";

class Sweep : private DispatcherClient {
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
        start_(clock_.now()),
        time_left_(start_),
        dispatcher_(options, *this) {}

  Result<SweepOutcome> run() {
    if (no_python_.is_named) return no_python_.errors;
    if (!earlier_.note.empty()) options_.note(earlier_.note);
    add_tasks();
    while (dispatcher_.left() > 0) {
      dispatcher_.hand_out();
      pollfd lanes{dispatcher_.descriptor(), POLLIN, 0};
      ::poll(&lanes, 1, look_again_ms);
      dispatcher_.hear();
      if (!write_errors_.empty()) return write_errors_;
      if (!has_lane()) return no_lane_left();
      show();
    }
    return outcome();
  }

 private:
  // Adds the tasks without a result.
  void add_tasks() {
    const std::set<std::size_t> left_out(no_python_.tasks.begin(), no_python_.tasks.end());
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (found_[task]) {
        taken_over_ += 1;
        options_.events.taken_over(*found_[task]);
      } else if (!left_out.contains(task)) {
        dispatcher_.add(job_of(task));
      }
    }
    done_ = taken_over_;
  }

  QueuedJob job_of(std::size_t task) const {
    QueuedJob job{std::to_string(task), "", std::to_string(plan_.tasks[task].group)};
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(plan_.tasks[task].candidate, none);
    job.bytes = none ? 0 : size;
    return job;
  }

  Result<LaneJob> lane_job(const std::vector<std::string>& ids, const std::string&) override {
    LaneJob job = job_for(options_.lane, group_of(ids.front()).problem);
    for (const std::string& id : ids) {
      const std::size_t task = std::stoul(id);
      job.candidates.push_back(plan_.tasks[task].candidate.string());
      job.numbers.push_back(task);
    }
    return job;
  }

  std::string result(const std::string& id, const std::string&, const std::string& text) override {
    const std::size_t task = std::stoul(id);
    auto record = read_result(text, results_.path());
    if (!record || finder_.find(*record) != task) return other_result;
    if (options_.lane_command.is_elsewhere && !std::exchange(knows_kind_, true))
      leave_out_other_than(record->device.kind);
    if (auto written = results_.append(text); !written) write_errors_ = written.errors();
    found_[task] = std::move(*record);
    done_ += 1;
    time_left_.result_at(clock_.now());
    options_.events.result(*found_[task], done_, found_.size());
    return "";
  }

  // The kind of device of lanes elsewhere is unknown until the first result comes.
  void leave_out_other_than(const std::string& kind) {
    const std::size_t before = taken_over_;
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (!found_[task] || found_[task]->device.kind == kind) continue;
      found_[task].reset();
      taken_over_ -= 1;
      done_ -= 1;
      dispatcher_.add(job_of(task));
    }
    if (taken_over_ < before)
      options_.note(fmt::format("{} in {} {} made on another kind of device, and will be graded again",
                                counted(before - taken_over_, "result"), results_.path().string(),
                                before - taken_over_ == 1 ? "was" : "were"));
  }

  void failed(const std::string& id, const std::string&, const std::string& why, int exit_code) override {
    failed_.push_back(without_verdict(plan_, std::stoul(id), why, exit_code));
  }

  const SweepGroup& group_of(const std::string& id) const {
    return plan_.groups[plan_.tasks[std::stoul(id)].group];
  }

  bool has_lane() const {
    const auto works = [this](const LaneSlot& lane) { return !dispatcher_.is_paused(lane); };
    return std::any_of(dispatcher_.lanes().begin(), dispatcher_.lanes().end(), works);
  }

  Error no_lane_left() const {
    return machine_error(
        fmt::format("no device is left that grades; the last one was {}", dispatcher_.last_words()),
        options_.lane_command.is_elsewhere
            ? "run the lane command by itself to see why; results are kept, and --resume goes on from there"
            : "`kgrade doctor` says what this machine lacks; results are kept, and --resume goes on from "
              "there");
  }

  void show() const {
    std::string text = fmt::format("{}/{}", done_, found_.size());
    if (const auto seconds = time_left_.seconds(dispatcher_.left(), clock_.now()))
      text += ", " + describe_time_left(*seconds);
    for (const LaneSlot& lane : dispatcher_.lanes()) {
      if (!lane.batch.empty()) {
        text += fmt::format("  [{}] {}", group_of(lane.batch.front().id).label(), lane.doing);
      } else if (lane.process && !dispatcher_.is_there(lane)) {
        text += fmt::format("  [{}] starting", lane.device);
      }
    }
    options_.events.progress(text);
  }

  SweepOutcome outcome() {
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
    outcome.ungraded.insert(outcome.ungraded.end(), failed_.begin(), failed_.end());
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
  std::vector<UngradedCandidate> failed_;
  Errors write_errors_;
  std::size_t taken_over_ = 0;
  bool knows_kind_ = false;
  std::size_t done_ = 0;
  SteadyClock clock_;
  double start_;
  TimeLeft time_left_;
  Dispatcher dispatcher_;  // the last member, so that the lanes end first
};

}  // namespace

Result<SweepOutcome> sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results) {
  return Sweep(plan, options, results).run();
}

LackOfPython find_lack_of_python(const SweepPlan& plan, const std::vector<std::optional<Record>>& found,
                                 const std::string& python) {
  LackOfPython lack;
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    if (!found[task] && plan.tasks[task].is_python) lack.tasks.push_back(task);
  }
  if (lack.tasks.empty()) return lack;
  const auto interpreter = find_python_with_torch(python);
  if (interpreter) return {};
  lack.errors = interpreter.errors();
  lack.is_named = is_python_named(python);
  return lack;
}

}  // namespace kgrade
