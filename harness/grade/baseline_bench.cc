#include "grade/baseline_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/statistics.h"
#include "base/text.h"
#include "draw/draws.h"
#include "problem/module_call.h"
#include "verify/checks.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// How many samples a baseline gets: at least the fewest, and more while the budget lasts. The first call
// searches for the fastest algorithm and gives no sample.
constexpr int fewest_samples = 3;
constexpr int most_samples = 20;
constexpr double usual_budget_seconds = 0.5;
// With --quick, the samples only have to tell which baseline is the fastest of its class. It is measured
// again beside the candidate.
constexpr double quick_budget_seconds = 0.1;
// The number of the first draw for baselines. Draws for candidates, and for the reference when it runs alone,
// have other numbers.
constexpr std::uint32_t first_baseline_draw = 1 << 21;

// The path that a user knows: the file, or the module's name.
std::string path_of(const BaselineSource& source) {
  if (!source.is_module())
    return fmt::format("reference/{}/{}", source.source.parent_path().filename().string(),
                       source.source.filename().string());
  return source.source.parent_path().filename() == "torch"
             ? "reference/torch/" + source.source.filename().string()
             : source.source.string();
}

}  // namespace

BaselineBench::BaselineBench(std::vector<BaselineSource> sources) {
  for (BaselineSource& source : sources) {
    Entry entry;
    entry.record.name = source.name;
    entry.record.path = path_of(source);
    entry.record.library = source.library;
    entry.source = std::move(source);
    entries_.push_back(std::move(entry));
  }
}

void BaselineBench::start(const Toolchain& toolchain, Device& device, const Problem& problem,
                          const Layout& layout, StageClock& stages, const std::optional<PythonHost>& python) {
  python_ = python;
  device_ = &device;
  Worker* of_modules = nullptr;
  for (Entry& entry : entries_) {
    const Result<std::string> hash = entry.source.is_module()
                                         ? Result<std::string>(sha256_hex(entry.source.module))
                                         : hash_of(files_of_baseline(entry.source.source));
    if (hash) entry.record.sha256 = *hash;
    if (entry.source.is_module() && of_modules != nullptr) {
      entry.worker = of_modules;
    } else {
      entry.worker = &worker_for(entry, toolchain, device, problem, layout, stages);
      if (entry.source.is_module()) of_modules = entry.worker;
    }
    entry.record.problem = entry.worker->problem;
  }
}

BaselineBench::Worker& BaselineBench::worker_for(const Entry& entry, const Toolchain& toolchain,
                                                 Device& device, const Problem& problem, const Layout& layout,
                                                 StageClock& stages) {
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.build = std::make_unique<Build>(toolchain, problem, entry.source, layout, stages);
  // A baseline may use any library, even if candidates of this problem may not.
  auto runner = entry.source.is_module()
                    ? ContestantRunner::start(device, problem, *python_)
                    : ContestantRunner::start(device, problem, Libraries::any, ModuleLoading::lazy);
  if (runner) {
    worker.runner = std::move(*runner);
  } else {
    worker.problem = runner.error().message;
  }
  return worker;
}

void BaselineBench::load(Worker& worker) {
  if (!worker.problem.empty()) return;
  const Result<BuildOutcome>& built = worker.build->finish();
  if (!built || built->status != BuildStatus::built) {
    leave_out(worker, "does not build: " + (built ? built->message : built.error().message));
    return;
  }
  Answer answer = worker.runner->await_ready(load_patience);
  if (answer.ok()) answer = worker.runner->load(built->library, load_patience);
  if (!answer.ok()) leave_out(worker, "does not load: " + answer.detail);
}

void BaselineBench::leave_out(const Worker& worker, const std::string& why) {
  for (Entry& entry : entries_) {
    if (entry.worker == &worker && entry.takes_part()) entry.record.problem = why;
  }
}

Errors BaselineBench::try_out(Session& session, Contest& contest, const std::vector<PlannedCase>& cases) {
  if (entries_.empty() || std::none_of(cases.begin(), cases.end(), std::mem_fn(&PlannedCase::is_measured)))
    return {};
  const auto timer = session.stages.time("baselines");
  session.progress("baselines");
  std::vector<std::pair<Worker*, std::uint64_t>> free_before;
  for (const auto& worker : workers_) {
    load(*worker);
    free_before.emplace_back(worker.get(), device_->free_bytes());
  }
  for (const PlannedCase& planned : cases) {
    if (!planned.is_measured()) continue;
    const Errors errors = try_case(session, contest, planned.bound);
    // Leave nothing that affects the next call.
    contest.set_baseline(nullptr);
    contest.take_back();
    if (!errors.empty()) return errors;
  }
  keep_room(free_before);
  return {};
}

// PyTorch keeps the memory that it has used, and a candidate may need as much as a baseline. Ends each
// PyTorch worker that keeps more memory than is free.
void BaselineBench::keep_room(const std::vector<std::pair<Worker*, std::uint64_t>>& free_before) {
  if (!device_->info().measures_speed) return;
  for (const auto& [worker, before] : free_before) {
    if (worker->runner == nullptr || !worker->runner->rehearses() || !worker->runner->alive()) continue;
    const std::uint64_t free = device_->free_bytes();
    const std::uint64_t kept = before > free ? before - free : 0;
    if (free >= kept) continue;
    worker->runner->retire();
    leave_out(*worker, "leaves too little of the device's memory for a candidate");
  }
}

bool BaselineBench::select(Entry& entry, Contest& contest) {
  ContestantRunner& runner = *entry.worker->runner;
  contest.set_baseline(&runner);
  return !entry.source.is_module() || runner.choose_variant(entry.record.name).ok();
}

bool BaselineBench::lend(Worker& worker, Contest& contest, const Case& bound) {
  contest.set_baseline(worker.runner.get());
  const auto lent = contest.lend(Role::baseline, bound, 1);
  return lent && lent->ok();
}

// Calls all baselines on the same inputs, because the oracle may take longer than the baselines: so one call
// of the oracle serves all of them.
Errors BaselineBench::try_case(Session& session, Contest& contest, const Case& bound) {
  auto lent = contest.lend(Role::oracle, bound, 1);
  if (!lent) return lent.errors();
  if (!lent->ok()) return {trusted_failure("oracle", session.problem, bound, *lent)};
  const bool is_stated = module_call(session.problem, bound).has_value();
  std::map<const Worker*, bool> has_room;
  for (Entry& entry : entries_) {
    std::string problem = entry.record.problem;
    if (entry.source.is_module() && !is_stated) problem = "the problem's module cannot state it";
    if (problem.empty()) {
      const auto [found, is_first] = has_room.try_emplace(entry.worker, false);
      if (is_first) found->second = revive(*entry.worker) && lend(*entry.worker, contest, bound);
      if (!found->second) problem = "no room for its tensors";
    }
    entry.record.cases.push_back(
        {bound.name, problem.empty() ? best_class(session.problem) : Precision::none, 0, problem, {}});
  }
  ExpectedScales scales;
  if (const auto finding = scales.learn(contest, bound, Precision::bf16))
    return {trusted_failure("oracle", session.problem, bound, *finding)};
  DrawSequence draws(session.seed, first_baseline_draw);
  const double budget_seconds = session.effort == Effort::quick ? quick_budget_seconds : usual_budget_seconds;
  double start = 0;
  for (int call = 0; call <= most_samples; ++call) {
    if (call == 1) start = session.stages.now();
    if (call > fewest_samples && session.stages.now() - start > budget_seconds) break;
    const Draw draw = draws.fresh();
    const CallReport oracle = contest.call(Role::oracle, draw, trusted_patience);
    if (const auto finding = review_call(oracle)) {
      return {trusted_failure("oracle", session.problem, bound, *finding)};
    }
    if (scales.wants_more()) scales.add(contest.sample_expected());
    contest.compare_by(scales.magnitudes());
    for (Entry& entry : entries_) {
      BaselineCase& result = entry.record.cases.back();
      if (!result.problem.empty()) continue;
      if (call == 0) session.progress(entry.record.name);
      // A baseline that failed has ended the process that it shares with others.
      if (!entry.worker->runner->alive() && !(revive(*entry.worker) && lend(*entry.worker, contest, bound))) {
        result.problem = "its process ended";
        continue;
      }
      this->call(entry, session, contest, {bound, draw, scales}, result);
      if (call == 0) result.ms.clear();
    }
  }
  return {};
}

bool BaselineBench::revive(Worker& worker) {
  if (worker.runner->alive()) return true;
  const auto answer = worker.runner->start_anew(load_patience, load_patience);
  return answer && answer->ok();
}

void BaselineBench::call(Entry& entry, Session& session, Contest& contest, const Round& round,
                         BaselineCase& result) {
  const bool is_chosen = select(entry, contest);
  CallReport report;
  if (is_chosen) report = contest.call(Role::baseline, round.draw, trusted_patience);
  forgive_threads(report);
  if (const auto finding = review_call(report); finding || !is_chosen) {
    result.problem = is_chosen ? finding->message : "its worker does not answer";
    result.precision = Precision::none;
    if (!entry.worker->runner->alive())
      entry.record.problem = "case '" + result.name + "': " + result.problem;
    return;
  }
  for (std::size_t i = 0; i < report.outputs.size(); ++i) {
    const Judgement judgement =
        judge(report.outputs[i], i, session.problem, round.bound, round.scales, Precision::bf16);
    result.precision = std::max(result.precision, judgement.precision);
    result.relative_error = std::max(result.relative_error, judgement.relative_error);
    if (judgement.verdict != Verdict::accepted) result.problem = "its output is wrong";
  }
  result.ms.push_back(report.call.elapsed_ms);
}

std::vector<BaselineRecord> BaselineBench::records() const {
  std::vector<BaselineRecord> records;
  for (const Entry& entry : entries_) records.push_back(entry.record);
  return records;
}

std::vector<BaselineChoice> BaselineBench::choices(const std::string& case_name) const {
  std::vector<BaselineChoice> choices;
  for (const Entry& entry : entries_) {
    for (const BaselineCase& c : entry.record.cases) {
      if (c.name != case_name || !entry.takes_part() || !c.problem.empty() || c.ms.empty()) continue;
      choices.push_back({entry.record.name, c.precision, quantile(c.ms, 0.5), entry.worker});
    }
  }
  return choices;
}

bool BaselineBench::activate(const std::string& name, int process, Contest& contest) {
  for (Entry& entry : entries_) {
    if (entry.record.name != name || entry.worker->runner == nullptr) continue;
    Worker& worker = *entry.worker;
    if (worker.process != process || !worker.runner->alive()) {
      const auto answer = worker.runner->start_anew(load_patience, load_patience);
      if (!answer || !answer->ok()) return false;
      worker.process = process;
    }
    return select(entry, contest);
  }
  return false;
}

void BaselineBench::retire(const std::string& name) {
  for (Entry& entry : entries_) {
    if (entry.record.name == name && entry.worker->runner != nullptr && entry.worker->runner->alive())
      entry.worker->runner->retire();
  }
}

std::vector<BaselineChoice> CaseBaselines::choices() const {
  if (session_.baselines == nullptr) return {};
  std::vector<BaselineChoice> choices = session_.baselines->choices(case_.name);
  std::erase_if(choices, [this](const BaselineChoice& choice) { return left_out_.contains(choice.name); });
  auto best = choices.end();
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    if (choice->precision != precision_) continue;
    if (best == choices.end() || choice->median_ms < best->median_ms) best = choice;
  }
  if (best != choices.end()) std::rotate(choices.begin(), best, best + 1);
  return choices;
}

void CaseBaselines::choose(Precision precision) {
  precision_ = precision;
  chosen_.clear();
  for (const BaselineChoice& baseline : choices()) {
    if (session_.baselines->activate(baseline.name, process_)) {
      chosen_.push_back(baseline);
    } else {
      leave_out(baseline, "it does not start again");
    }
  }
}

bool CaseBaselines::activate(std::size_t number) {
  return session_.baselines->activate(chosen_.at(number).name, process_);
}

void CaseBaselines::make_room(std::size_t left, const Error& lack) {
  while (chosen_.size() > left) {
    leave_out(chosen_.back(), lack.message);
    chosen_.pop_back();
  }
  session_.contest.take_back();
}

void CaseBaselines::drop_failed(std::size_t number, const Error& error) {
  leave_out(chosen_.at(number), error.message);
  session_.baselines->retire(chosen_.at(number).name);
  session_.contest.take_back();
}

void CaseBaselines::leave_out(const BaselineChoice& baseline, const std::string& why) {
  left_out_.insert(baseline.name);
  std::string note = fmt::format("not compared with {}: {}", baseline.name, why);
  std::vector<std::string>& notes = record_.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

}  // namespace kgrade
