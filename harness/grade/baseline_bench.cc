#include "grade/baseline_bench.h"

#include <algorithm>
#include <functional>

#include "base/statistics.h"
#include "draw/draws.h"
#include "verify/checks.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// How many samples a baseline gets: at least, and at most while the budget lasts. The first call searches for
// the fastest algorithm and gives no sample.
constexpr int fewest_samples = 3;
constexpr int most_samples = 20;
constexpr double budget_seconds = 0.5;
// Draws of their own, apart from those of candidates and of the reference alone.
constexpr std::uint32_t first_baseline_draw = 1 << 21;

}  // namespace

BaselineBench::BaselineBench(std::vector<BaselineSource> sources) {
  for (BaselineSource& source : sources) {
    Entry entry;
    entry.record.name = source.name;
    entry.record.path = "reference/cudnn/" + source.source.filename().string();
    entry.source = std::move(source);
    entries_.push_back(std::move(entry));
  }
}

void BaselineBench::start(const Toolchain& toolchain, Device& device, const Problem& problem,
                          const Layout& layout, StageClock& stages) {
  for (Entry& entry : entries_) {
    if (auto hash = hash_of(files_of_baseline(entry.source.source))) entry.record.sha256 = *hash;
    entry.build = std::make_unique<Build>(toolchain, problem, entry.source, layout, stages);
    // A baseline may use any library, even if candidates of this problem may not.
    auto runner = ContestantRunner::start(device, problem, Libraries::any, ModuleLoading::lazy);
    if (runner) {
      entry.runner = std::move(*runner);
    } else {
      entry.record.problem = runner.error().message;
    }
  }
}

void BaselineBench::load(Entry& entry) {
  if (!entry.takes_part()) return;
  const Result<BuildOutcome>& built = entry.build->finish();
  if (!built || built->status != BuildStatus::built) {
    entry.record.problem = "does not build: " + (built ? built->message : built.error().message);
    return;
  }
  Answer answer = entry.runner->await_ready(load_patience);
  if (answer.ok()) answer = entry.runner->load(built->library, load_patience);
  if (!answer.ok()) entry.record.problem = "does not load: " + answer.detail;
}

Errors BaselineBench::try_out(Session& session, Referee& referee, const std::vector<PlannedCase>& cases) {
  if (entries_.empty() || std::none_of(cases.begin(), cases.end(), std::mem_fn(&PlannedCase::is_measured)))
    return {};
  const auto timer = session.stages.time("baselines");
  session.progress("baselines");
  for (Entry& entry : entries_) load(entry);
  for (const PlannedCase& planned : cases) {
    if (!planned.is_measured()) continue;
    const Errors errors = try_case(session, referee, planned.bound);
    // Nothing may be left here that affects the next call.
    for (Entry& entry : entries_) {
      if (entry.runner != nullptr) entry.runner->take_back();
    }
    referee.set_baseline(nullptr);
    referee.take_back();
    if (!errors.empty()) return errors;
  }
  return {};
}

// All of them on the same contents, since the oracle may take longer than they do.
Errors BaselineBench::try_case(Session& session, Referee& referee, const Case& bound) {
  auto lent = referee.lend(Role::oracle, bound, 1);
  if (!lent) return lent.errors();
  if (!lent->ok()) return {trusted_failure("oracle", session.problem, bound, *lent)};
  for (Entry& entry : entries_) {
    const Precision none_yet = entry.takes_part() ? Precision::fp32 : Precision::none;
    entry.record.cases.push_back({bound.name, none_yet, 0, entry.record.problem, {}});
    if (!entry.takes_part()) continue;
    referee.set_baseline(entry.runner.get());
    auto own = referee.lend(Role::baseline, bound, 1);
    if (own && own->ok()) continue;
    entry.record.cases.back().problem = "no room for its tensors";
    entry.record.cases.back().precision = Precision::none;
  }
  UsualNorms norms;
  if (const auto finding = norms.learn(referee, bound, Precision::bf16, session.seed))
    return {trusted_failure("oracle", session.problem, bound, *finding)};
  DrawSequence draws(session.seed, first_baseline_draw);
  double start = 0;
  for (int call = 0; call <= most_samples; ++call) {
    if (call == 1) start = session.stages.now();
    if (call > fewest_samples && session.stages.now() - start > budget_seconds) break;
    const Draw draw = draws.fresh();
    const CallReport oracle = referee.call(Role::oracle, draw, trusted_patience);
    if (const auto finding = review_call(oracle)) {
      return {trusted_failure("oracle", session.problem, bound, *finding)};
    }
    for (Entry& entry : entries_) {
      BaselineCase& result = entry.record.cases.back();
      if (result.problem.empty()) this->call(entry, session, referee, draw, norms, result);
      if (call == 0) result.ms.clear();
    }
  }
  return {};
}

void BaselineBench::call(Entry& entry, Session& session, Referee& referee, const Draw& draw,
                         const UsualNorms& norms, BaselineCase& result) {
  referee.set_baseline(entry.runner.get());
  const CallReport report = referee.call(Role::baseline, draw, trusted_patience);
  if (const auto finding = review_call(report)) {
    result.problem = finding->message;
    result.precision = Precision::none;
    if (!entry.runner->alive()) entry.record.problem = "case '" + result.name + "': " + finding->message;
    return;
  }
  for (std::size_t i = 0; i < report.outputs.size(); ++i) {
    const Judgement judgement =
        judge(report.outputs[i], session.problem.thresholds, Precision::bf16, norms.squares(i));
    result.precision = std::max(result.precision, judgement.precision);
    result.relative_error = std::max(result.relative_error, judgement.relative_error);
    if (judgement.verdict != Verdict::accepted) result.problem = "its output is wrong";
  }
  result.ms.push_back(report.elapsed_ms);
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
      choices.push_back({entry.record.name, c.precision, quantile(c.ms, 0.5)});
    }
  }
  return choices;
}

bool BaselineBench::activate(const std::string& name, int process, Referee& referee) {
  for (Entry& entry : entries_) {
    if (entry.record.name != name) continue;
    if (entry.process != process) {
      const auto answer = entry.runner->start_anew(load_patience, load_patience);
      if (!answer || !answer->ok()) return false;
      entry.process = process;
    }
    referee.set_baseline(entry.runner.get());
    return true;
  }
  return false;
}

}  // namespace kgrade
