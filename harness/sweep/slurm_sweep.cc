#include "sweep/slurm_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/machine_faults.h"
#include "base/text.h"
#include "sweep/chunks.h"
#include "sweep/earlier_results.h"
#include "sweep/report.h"
#include "sweep/slurm_client.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_rounds = 3;
constexpr double longest_silence = 600;  // seconds without an answer of the controller

class SlurmSweep {
 public:
  SlurmSweep(const SweepPlan& plan, const SweepOptions& options, const SlurmOptions& slurm,
             ResultFile& results)
      : plan_(plan),
        options_(options),
        slurm_(slurm),
        results_(results),
        folder_(slurm_folder(results.path())),
        finder_(plan, options.lane.effort),
        earlier_(find_earlier_results(plan, options, results)),
        found_(std::move(earlier_.found)),
        left_(static_cast<std::size_t>(
            std::count_if(found_.begin(), found_.end(), [](const auto& record) { return !record; }))),
        taken_over_(found_.size() - left_),
        lines_(folder_),
        start_(clock_.now()),
        time_left_(start_) {}

  Result<SweepOutcome> run() {
    if (auto error = make_folder()) return *error;
    if (!earlier_.note.empty()) options_.events.note(earlier_.note);
    for (const auto& record : found_) {
      if (record) options_.events.taken_over(*record);
    }
    for (Trouble error = adopt(); left_ > 0 || !job_.empty();) {
      if (!error && job_.empty() && round_ - first_round_ >= most_rounds) break;
      if (!error && job_.empty()) error = submit();
      if (!error) error = follow();
      if (error) return *error;
    }
    return outcome();
  }

 private:
  using Trouble = std::optional<Error>;

  Trouble make_folder() {
    std::error_code failure;
    // The results of a sweep that is replaced do not belong to this one.
    if (!options_.resume) {
      if (auto error = refuse_running_job()) return error;
      remove_chunk_files(folder_);
    }
    fs::create_directories(folder_ / "logs", failure);
    if (!failure) return std::nullopt;
    return Error{fmt::format("cannot be made: {}", failure.message()),
                 "name results in a folder that can be written to by --output",
                 {folder_.string(), 0, 0},
                 blame_for_file(failure.value())};
  }

  fs::path job_file() const { return folder_ / "job.json"; }
  fs::path plan_file() const { return folder_ / fmt::format("plan{}.json", round_); }

  // The tasks of a running job would read the new plan as their own.
  Trouble refuse_running_job() const {
    const auto job = read_slurm_job(job_file());
    const auto id = job ? id_of(*job, client_) : Result<std::string>(std::string());
    const auto tasks = id && !id->empty() ? client_.tasks(*id) : std::map<std::size_t, SlurmTask>{};
    if (!tasks || all_ended(*tasks)) return std::nullopt;
    return Error{fmt::format("job {} of an earlier sweep with this output still runs", *id),
                 fmt::format("follow it by --resume, or end it: scancel {}", *id),
                 {folder_.string(), 0, 0}};
  }

  // Adopts the job of an earlier `kgrade sweep`, unless all its tasks have ended. Their results count in any
  // case.
  Trouble adopt() {
    const auto job = options_.resume ? read_slurm_job(job_file()) : std::nullopt;
    if (!job) return std::nullopt;
    first_round_ = round_ = job->round;
    if (auto error = collect()) return error;
    const auto id = id_of(*job, client_);
    if (!id) return id.error();
    const auto tasks = id->empty() ? std::map<std::size_t, SlurmTask>{} : client_.tasks(*id);
    if (!tasks) return tasks.error();
    // The rounds of the earlier sweep do not count against this one.
    if (all_ended(*tasks)) {
      first_round_ = round_ = round_ + 1;
    } else {
      job_ = *id;
    }
    return std::nullopt;
  }

  Trouble submit() {
    std::vector<std::size_t> open;
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (!found_[task]) open.push_back(task);
    }
    ChunkedPlan chunked{options_.lane, plan_, cut(plan_, open, slurm_.chunk, client_.largest_array())};
    chunked.options.device = options_.devices.front();
    const std::size_t chunks = chunked.chunks.size();
    if (auto written = write_file_atomically(plan_file(), to_text(chunked)); !written) return written.error();
    if (auto written = write_task_script(folder_ / "task.sh", slurm_.program, plan_file(), round_); !written)
      return written.error();
    auto job = submit_noted(job_file(), round_, client_,
                            {new_job_name(results_.path()), folder_ / "task.sh", folder_ / "logs", chunks,
                             without_nodes(slurm_.options, nodes_.excluded())});
    if (!job) return job.error();
    job_ = *job;
    options_.events.note(
        fmt::format("job {} with {} for {}; `scancel {}` stops it, `kgrade sweep "
                    "--resume` finds it again",
                    job_, counted(chunks, "task"), counted(open.size(), "candidate"), job_));
    return std::nullopt;
  }

  // Follows the job until no task runs or waits, or until nothing is left to find.
  Trouble follow() {
    double answered = clock_.now();
    double seen_running = answered;
    while (left_ > 0) {
      if (auto error = collect()) return error;
      const auto tasks = client_.tasks(job_);
      if (tasks) {
        answered = clock_.now();
        look_at(*tasks);
        if (given_up(*tasks)) return collect();
        nodes_.look_at(*tasks);
        if (!all_ended(*tasks)) seen_running = answered;
        if (seen_running < answered && has_nothing_more(answered - seen_running)) break;
      } else if (clock_.now() - answered > longest_silence) {
        return tasks.error();
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(slurm_.poll_seconds));
    }
    if (left_ > 0) remember_ends();
    if (auto error = collect()) return error;
    if (left_ > 0) exclude_bad_nodes();
    end_round(1);
    return std::nullopt;
  }

  void end_round(std::size_t rounds) {
    job_.clear();
    held_since_.reset();
    round_ += rounds;
  }

  // True if the job was cancelled, because it was held too long. Only a person can release a held task.
  bool given_up(const std::map<std::size_t, SlurmTask>& tasks) {
    const std::string reason = why_held(tasks);
    if (reason.empty()) {
      held_since_.reset();
      return false;
    }
    if (!held_since_) {
      held_since_ = clock_.now();
      options_.events.note(
          fmt::format("job {} is held ({}): `scontrol release {}` lets it go, `scontrol show job {}` "
                      "says more",
                      job_, reason, job_, job_));
    }
    if (clock_.now() - *held_since_ < slurm_.held_seconds) return false;
    client_.cancel(job_);
    last_end_ =
        fmt::format("job {} was held ({}) for {:.0f} s, and cancelled", job_, reason, slurm_.held_seconds);
    end_round(most_rounds);
    return true;
  }

  // Updates the progress. Starts requeued tasks, because Slurm holds them back for two minutes.
  void look_at(const std::map<std::size_t, SlurmTask>& tasks) {
    std::map<std::string, int> states;
    for (const auto& [index, task] : tasks) {
      states[task.state] += 1;
      if (task.waits_for_nothing()) client_.start_now(job_, index);
      lines_.task_state(round_, index, task.ended(), clock_.now());
    }
    std::string text = fmt::format("{}/{}", found_.size() - left_, found_.size());
    if (const auto seconds = time_left_.seconds(left_, clock_.now()))
      text += ", " + describe_time_left(*seconds);
    text += "  job " + job_ + ":";
    for (const auto& [state, count] : states) text += fmt::format(" {} {}", count, state);
    options_.events.progress(text);
  }

  // Collects the complete lines of all tasks' files. The first result of a candidate counts.
  Trouble collect() {
    for (const ChunkResults::Line& line : lines_.new_lines()) {
      if (auto error = take(line.file, line.text)) return error;
    }
    return std::nullopt;
  }

  Trouble take(const fs::path& path, const std::string& line) {
    const auto record = read_result(line, path);
    const auto task = record ? finder_.find(*record) : std::nullopt;
    if (!task || found_[*task] || record->sweep_options != conditions_) return std::nullopt;
    if (auto written = results_.append(line); !written) return written.error();
    found_[*task] = record;
    left_ -= 1;
    time_left_.result_at(clock_.now());
    options_.events.result(*record, found_.size() - left_, found_.size());
    return std::nullopt;
  }

  // `seconds` after the end of a job, true if no more results can come: every candidate without a result has
  // a reason, or late results would have arrived.
  bool has_nothing_more(double seconds) {
    if (seconds > late_results) return true;
    if (collect()) return false;
    const auto messages = read_failures(folder_);
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (!found_[task] && !messages.contains(plan_.tasks[task].candidate.string())) return false;
    }
    return true;
  }

  void exclude_bad_nodes() {
    const auto has_result = [this](std::size_t chunk) { return lines_.has_any(round_, chunk); };
    for (const std::string& node : nodes_.end_of_job(has_result)) {
      options_.events.note(fmt::format(
          "node {} is left out from now on: what ran there in job {} failed without a result", node, job_));
    }
  }

  void remember_ends() {
    const auto tasks = client_.tasks(job_);
    if (!tasks) return;
    for (const auto& [index, task] : *tasks) {
      if (task.state == "COMPLETED") continue;
      const std::string how = client_.how_ended(job_, index);
      last_end_ = fmt::format("task {}_{} on {} ended as {}{}", job_, index, task.node, task.state,
                              how.empty() ? "" : ", " + how);
    }
  }

  SweepOutcome outcome() {
    SweepOutcome outcome;
    outcome.ungraded = plan_.refused;
    outcome.unmatched = plan_.unmatched;
    const auto messages = read_failures(folder_);
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (found_[task]) {
        outcome.records.push_back(std::move(*found_[task]));
        continue;
      }
      const auto said = messages.find(plan_.tasks[task].candidate.string());
      const std::string why = said != messages.end() ? said->second : last_end_;
      outcome.ungraded.push_back(
          without_verdict(plan_, task,
                          fmt::format("no result{}; the tasks' logs are in {}", why.empty() ? "" : ": " + why,
                                      (folder_ / "logs").string())));
    }
    outcome.taken_over = taken_over_;
    outcome.seconds = clock_.now() - start_;
    return outcome;
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  const SlurmOptions& slurm_;
  ResultFile& results_;
  fs::path folder_;
  SlurmClient client_;
  TaskFinder finder_;
  std::string conditions_ = conditions_of(options_.lane);
  EarlierResults earlier_;
  std::vector<std::optional<Record>> found_;
  std::size_t left_;  // candidates without a result
  std::size_t taken_over_;
  ChunkResults lines_;
  std::optional<double> held_since_;
  std::size_t round_ = 0;
  std::size_t first_round_ = 0;
  NodeWatch nodes_;
  std::string job_;  // the running job; empty if none
  std::string last_end_;
  SteadyClock clock_;
  double start_;
  TimeLeft time_left_;
};

}  // namespace

fs::path slurm_folder(const fs::path& results) { return results.string() + ".slurm"; }

Result<SweepOutcome> sweep_by_slurm(const SweepPlan& plan, const SweepOptions& options,
                                    const SlurmOptions& slurm, ResultFile& results) {
  return SlurmSweep(plan, options, slurm, results).run();
}

}  // namespace kgrade
