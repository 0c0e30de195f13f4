#include "sweep/sweep.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "compile/python_interpreter.h"
#include "device/registry.h"
#include "grade/run_setup.h"
#include "sweep/report.h"

namespace kgrade {
namespace {

constexpr int look_again_ms = 100;
constexpr const char* other_result =
    "the result that came is not of this candidate as it was when the sweep began: were files changed?";

// Finds the results of an earlier sweep that count for this one.
//
// For each task of the plan, by number, the newest result that this sweep would also have produced. Problem,
// reference, candidate, options and kind of device must be equal. On GPUs, the model must be equal too, if
// this machine has the requested GPUs. All other tasks are graded again.
struct EarlierResults {
  std::vector<std::optional<Record>> found;
  // "3 results in sweep.jsonl do not count, ...: 2 were made with other options, 1 on another device". Empty
  // if all results count.
  std::string note;
};

// The devices of the lanes: "cuda" or "emulated", with the model if it is known. If the lanes are elsewhere,
// any device is wanted.
class WantedDevices {
 public:
  explicit WantedDevices(const SweepOptions& options) {
    if (options.lane_command.is_elsewhere) return;
    for (const std::string& name : options.devices) {
      const auto choice = parse_device_choice(name);
      if (choice) choices_.push_back(resolve_choice(*choice));
    }
    if (std::none_of(choices_.begin(), choices_.end(), is_gpu)) return;
    const CudaProbe probe = probe_cuda();
    for (std::size_t i = 0; i < probe.devices.size(); ++i)
      models_[static_cast<int>(i)] = probe.devices[i].name;
  }

  bool include(const Record& record) const {
    if (choices_.empty()) return true;
    return std::any_of(choices_.begin(), choices_.end(), [&](const DeviceChoice& choice) {
      if (record.device.kind != (is_gpu(choice) ? "cuda" : "emulated")) return false;
      const auto model = models_.find(choice.ordinal);
      return !is_gpu(choice) || model == models_.end() || model->second == record.device.name;
    });
  }

 private:
  static bool is_gpu(const DeviceChoice& choice) { return choice.kind != DeviceChoice::Kind::emulated; }

  std::vector<DeviceChoice> choices_;
  std::map<int, std::string> models_;
};

class EarlierResultFinder {
 public:
  EarlierResultFinder(const SweepPlan& plan, const SweepOptions& options)
      : plan_(plan),
        options_(options),
        finder_(plan, options.lane.effort),
        conditions_(conditions_of(options.lane)),
        devices_(options),
        references_(plan.groups.size()),
        found_(plan.tasks.size()) {}

  void take(const Record& result) {
    const std::string& path = result.candidate().path;
    const auto task = finder_.find(result);
    if (!task) {
      if (finder_.knows(path))
        unusable_[path] = "of other contents, for another precision class or with another effort";
    } else if (const char* const why = mismatch(result, *task)) {
      unusable_[path] = why;
    } else {
      found_[*task] = result;
    }
  }

  EarlierResults results(const std::filesystem::path& file) {
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (found_[task]) unusable_.erase(plan_.tasks[task].candidate.string());
    }
    return {std::move(found_), note(file)};
  }

 private:
  // Why a result does not count. Null if it counts.
  const char* mismatch(const Record& result, std::size_t task) {
    if (result.reference.sha256 != reference(plan_.tasks[task].group)) return "against another reference";
    if (result.options != conditions_) return "with other options";
    return devices_.include(result) ? nullptr : "on another device";
  }

  const std::string& reference(std::size_t group) {
    if (!references_[group])
      references_[group] = hash_of_reference(options_.layout.reference_source(plan_.groups[group].problem));
    return *references_[group];
  }

  std::string note(const std::filesystem::path& file) const {
    if (unusable_.empty()) return "";
    std::map<std::string, std::size_t> reasons;
    for (const auto& [path, why] : unusable_) reasons[why] += 1;
    std::string text = fmt::format(
        "{} no result in {} that counts, and will be graded again; what is there was made",
        unusable_.size() == 1 ? "1 candidate has" : fmt::format("{} candidates have", unusable_.size()),
        file.string());
    const char* between = " ";
    for (const auto& [why, count] : reasons) {
      text += fmt::format("{}{}: {}", between, why, count);
      between = ", ";
    }
    return text;
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  TaskFinder finder_;
  std::string conditions_;
  WantedDevices devices_;
  std::vector<std::optional<std::string>> references_;  // by group
  std::vector<std::optional<Record>> found_;
  std::map<std::string, std::string> unusable_;  // the reasons, by path
};

EarlierResults find_earlier_results(const SweepPlan& plan, const SweepOptions& options,
                                    const ResultFile& results) {
  EarlierResults none{std::vector<std::optional<Record>>(plan.tasks.size()), ""};
  if (results.before().empty()) return none;
  EarlierResultFinder finder(plan, options);
  for (const Record& result : results.before()) finder.take(result);
  return finder.results(results.path());
}

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
    const auto works = [this](const LaneSlot& lane) { return !dispatcher_.is_paused(lane); };
    while (dispatcher_.left() > 0) {
      dispatcher_.hand_out();
      pollfd lanes{dispatcher_.descriptor(), POLLIN, 0};
      ::poll(&lanes, 1, look_again_ms);
      dispatcher_.hear();
      if (!write_errors_.empty()) return write_errors_;
      if (std::none_of(dispatcher_.lanes().begin(), dispatcher_.lanes().end(), works))
        return machine_error(
            fmt::format("no device is left that grades; the last one was {}", dispatcher_.last_words()),
            options_.lane_command.is_elsewhere
                ? "run the lane command by itself to see why; results are kept, and --resume goes on from "
                  "there"
                : "`kgrade doctor` says what this machine lacks; results are kept, and --resume goes on from "
                  "there");
      show();
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
    outcome.ungraded.insert(outcome.ungraded.end(), failed_.begin(), failed_.end());
    outcome.seconds = clock_.now() - start_;
    return outcome;
  }

 private:
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
