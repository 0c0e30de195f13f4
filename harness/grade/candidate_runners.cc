#include "grade/candidate_runners.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>
#include <vector>

#include "contest/protocol.h"
#include "draw/seed.h"
#include "grade/contestants.h"
#include "grade/heat.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// How many workers wait for their candidates. Each has a context, which takes half a gigabyte of a GPU's
// memory. Several workers take hardly longer to start side by side than one.
constexpr std::size_t runners_at_once = 4;

}  // namespace

CandidateRunners::CandidateRunners(RunSetup& setup, const Problem& problem, std::size_t together)
    : setup_(setup), problem_(problem), together_(together) {}

Failure CandidateRunners::start() {
  if (auto failure = start_python()) return failure;
  const std::size_t left = left_of(false);
  if (left == 0) return std::nullopt;
  const std::size_t most = std::max(setup_.device().info().measures_speed ? runners_at_once : 1, together_);
  while (runners_.size() < std::clamp<std::size_t>(left, 1, most)) {
    auto runner = ContestantRunner::start(setup_.device(), problem_);
    if (!runner) return runner.errors();
    runners_.push_back(std::move(*runner));
  }
  return std::nullopt;
}

Failure CandidateRunners::start_python() {
  const std::size_t left = left_of(true);
  if (left == 0) return std::nullopt;
  if (!python_runners_) {
    const bool on_gpu = setup_.device().info().measures_speed;
    python_runners_ = std::make_unique<PythonRunners>(
        setup_.device(), problem_, setup_.python_host(),
        on_gpu ? runners_at_once : std::min(together_, most_in_heat_of_python));
  }
  const Errors errors = python_runners_->start(left);
  return errors.empty() ? Failure() : errors;
}

Result<std::unique_ptr<ContestantRunner>> CandidateRunners::next(const CandidateSource& source,
                                                                 const Build& build, std::size_t taken) {
  if (!needs_python(source)) {
    if (runners_.empty()) {
      if (auto failure = start()) return *failure;
    }
    // Waits for all workers first, because no other worker may be busy while a candidate is measured. Ignores
    // their errors here: a worker that failed reports the error when it is used.
    for (const auto& runner : runners_) runner->await_ready(load_patience);
    std::unique_ptr<ContestantRunner> first = std::move(runners_.front());
    runners_.pop_front();
    return first;
  }
  auto runner = python_runners_->next(left_of(true) - std::min(taken, left_of(true)));
  if (runner) (*runner)->set_builder(build.extension_builder());
  return runner;
}

bool CandidateRunners::needs_python(const CandidateSource& source) const {
  return source.is_python() && setup_.python() != nullptr;
}

std::size_t CandidateRunners::left_of(bool python) const {
  const auto& all = setup_.candidates();
  auto left = static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [=, this](const CandidateSource& c) { return needs_python(c) == python; }));
  for (const std::size_t number : settled_) left -= needs_python(all.at(number)) == python ? 1 : 0;
  return left;
}

PythonRunners::PythonRunners(Device& device, const Problem& problem, PythonHost host, std::size_t at_once)
    : device_(device), problem_(problem), host_(std::move(host)), at_once_(at_once) {}

Errors PythonRunners::start(std::size_t left) {
  const std::size_t have = ready_.size();
  while (importing_.size() < at_once_ && have + importing_.size() < left) {
    auto runner = ContestantRunner::start(device_, problem_, host_);
    if (!runner) return runner.errors();
    importing_.push_back(std::move(*runner));
  }
  return {};
}

Result<std::unique_ptr<ContestantRunner>> PythonRunners::next(std::size_t left) {
  if (ready_.empty()) {
    if (auto errors = start(std::max<std::size_t>(left, 1)); !errors.empty()) return errors;
    ready_ = std::exchange(importing_, {});
    // Each worker opens the device when it is asked for something, and several side by side take hardly
    // longer than one. The threads only ask; this thread does what a runner needs of the device.
    std::vector<std::future<Answer>> asking;
    for (const auto& runner : ready_) {
      asking.push_back(
          std::async(std::launch::async, [&runner] { return runner->worker().give_back(load_patience); }));
    }
    for (auto& answer : asking) answer.wait();
    for (const auto& runner : ready_) runner->await_ready(load_patience);
  }
  std::unique_ptr<ContestantRunner> runner = std::move(ready_.front());
  ready_.pop_front();
  if (auto errors = start(left > 0 ? left - 1 : 0); !errors.empty()) return errors;
  return runner;
}

RunSessions::RunSessions(const Problem& problem, const RunOptions& options, RunSetup& setup,
                         const Record& run)
    : problem_(problem), options_(options), setup_(setup), run_(run) {}

std::uint64_t RunSessions::seed_of(std::size_t number, int attempt) const {
  const std::vector<std::size_t>& numbers = options_.numbers;
  return seed_of_candidate(run_.seed, numbers.empty() ? number : numbers.at(number), attempt);
}

Session RunSessions::of_trusted(Contest& contest) {
  Session session{contest, problem_, run_.seed, options_.effort, {}, setup_.stages(), options_.progress};
  session.known = known_;
  return session;
}

Session RunSessions::of_candidate(Contest& contest, const BuildOutcome& built, std::uint64_t seed,
                                  std::function<void(const std::string&)> progress, TelemetryReader& reader) {
  Session session{contest, problem_, seed, options_.effort, {}, setup_.stages(), std::move(progress)};
  session.known = known_;
  static_assert(most_launches_of_sample == max_launches);
  if (options_.launches) session.launches = static_cast<int>(*options_.launches);
  if (options_.budget_seconds)
    session.goal.emplace(goal_for(options_.effort)).budget_seconds = *options_.budget_seconds;
  session.returns_outputs = built.returns_outputs || problem_.has_model();
  session.cache = setup_.device().cache_state();
  session.ceilings = run_.ceilings;
  session.sampler = &reader.sampler;
  if (setup_.bench().telemetry().absent().empty()) session.watch = &reader.watch;
  if (options_.time_limit_seconds)
    session.time_limit = Patience(std::lround(*options_.time_limit_seconds * 1000));
  return session;
}

CandidateRecord RunSessions::blank_record(const CandidateSource& source, const BuildOutcome& built,
                                          std::uint64_t seed) const {
  CandidateRecord record;
  record.path = source.path.string();
  record.sha256 = source.sha256;
  if (source.is_python() && setup_.python() != nullptr) {
    const PythonInterpreter& interpreter = setup_.python()->interpreter;
    PythonRecord& python = record.python.emplace();
    python.entry = built.python_entry;
    python.is_module = built.is_module;
    python.interpreter = interpreter.version;
    python.torch = interpreter.torch_version;
    python.triton = interpreter.triton_version;
  }
  record.lines = source.lines();
  record.seed = seed;
  record.precision = best_class(problem_);
  record.compile_seconds = built.seconds;
  record.compile_cached = built.cached;
  record.compiler_log = built.log;
  return record;
}

}  // namespace kgrade
