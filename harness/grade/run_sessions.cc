#include "grade/run_sessions.h"

#include <cmath>
#include <utility>

#include "contest/protocol.h"
#include "draw/seed.h"
#include "verify/judgement.h"

namespace kgrade {

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
  if (source.is_python() && setup_.python() != nullptr) record.python = python_record(built);
  record.lines = source.lines();
  record.seed = seed;
  record.precision = best_class(problem_);
  record.compile_seconds = built.seconds;
  record.compile_cached = built.cached;
  record.compiler_log = built.log;
  return record;
}

PythonRecord RunSessions::python_record(const BuildOutcome& built) const {
  const PythonInterpreter& interpreter = setup_.python()->interpreter;
  PythonRecord record;
  record.entry = built.python_entry;
  record.is_module = built.is_module;
  record.interpreter = interpreter.version;
  record.torch = interpreter.torch_version;
  record.triton = interpreter.triton_version;
  return record;
}

}  // namespace kgrade
