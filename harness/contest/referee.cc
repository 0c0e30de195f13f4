#include "contest/referee.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "contest/examination.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

constexpr Patience recovery_patience{5'000};

}  // namespace

Referee::Referee(Device& device, const Problem& problem, ContestantRunner& oracle,
                 ContestantRunner& reference, std::uint64_t seed)
    : device_(device),
      problem_(problem),
      oracle_(oracle),
      reference_(reference),
      computed_(ComputedInputs::make(device, problem, oracle)),
      weights_(problem.has_model() ? 1 : 0),
      poison_key_(poison_key_of(seed)) {
  oracle_.take_inputs_from(computed_);
  reference_.take_inputs_from(computed_);
}

void Referee::set_candidate(std::unique_ptr<ContestantRunner> runner, std::filesystem::path library,
                            CandidateTraits traits) {
  weights_ = traits.is_module ? 1 : 0;
  returns_outputs_ = traits.returns_outputs;
  candidate_ = std::move(runner);
  candidate_->take_inputs_from(computed_);
  candidate_library_ = std::move(library);
}

void Referee::set_baseline(ContestantRunner* runner) {
  baseline_ = runner;
  if (baseline_ != nullptr) baseline_->take_inputs_from(computed_);
}

ContestantRunner& Referee::runner_of(Role role) {
  switch (role) {
    case Role::oracle:
      return oracle_;
    case Role::reference:
      return reference_;
    case Role::baseline:
      return *baseline_;
    case Role::candidate:
      break;
  }
  return *candidate_;
}

double Referee::busy_ms() {
  constexpr int looks = 3;
  double least = std::numeric_limits<double>::infinity();
  for (int look = 0; look < looks; ++look) {
    least = std::min(least, std::chrono::duration<double, std::milli>(device_.reveal({})).count());
  }
  return least;
}

Answer Referee::load_candidate(Patience worker_patience, Patience candidate_patience) {
  Answer answer = candidate_->await_ready(worker_patience);
  if (answer.ok()) answer = candidate_->load(candidate_library_, candidate_patience);
  return answer;
}

Answer Referee::lock_candidate(Patience patience, std::string& report) {
  Answer answer = candidate_->lock(patience);
  report = candidate_->report_of_rehearsal();
  return answer;
}

Result<Answer> Referee::start_anew(Patience worker_patience, Patience candidate_patience) {
  if (weights_ != 0) ++weights_;
  for (ContestantRunner* const runner : {&reference_, candidate_.get()}) {
    if (auto errors = runner->begin_anew(); !errors.empty()) return errors;
  }
  const Answer answer = reference_.finish_anew(worker_patience, worker_patience);
  if (!answer.ok()) {
    return Error{"the reference cannot be started anew: " + answer.detail,
                 "run `kgrade doctor`; another program may hold the GPU",
                 {}};
  }
  return candidate_->finish_anew(worker_patience, candidate_patience);
}

Result<Answer> Referee::lend(Role role, const Case& bound, std::uint32_t launches) {
  // The oracle is not timed, and its outputs are what others are held against.
  const bool oracle = role == Role::oracle;
  if (role == Role::baseline) lent_baselines_.insert(baseline_);
  return runner_of(role).lend(bound, false, {true, !oracle, launches, oracle}, lending_patience);
}

void Referee::take_back() {
  for (ContestantRunner* const runner : {&oracle_, &reference_, candidate_.get()}) {
    if (runner != nullptr) runner->take_back();
  }
  for (ContestantRunner* const runner : std::exchange(lent_baselines_, {})) runner->take_back();
}

const Lease* Referee::expected_of(Role role) {
  return role != Role::oracle && oracle_.has_lease() ? &oracle_.lease() : nullptr;
}

CallReport Referee::call_as(Role role, CallKind kind, const Draw& draw, Patience patience) {
  return checked_call(runner_of(role), draw, patience, expected_of(role), kind);
}

CallReport Referee::appraise(const Draw& draw, Patience patience) {
  return checked_call(oracle_, draw, patience, oracle_.has_lease() ? &oracle_.lease() : nullptr);
}

std::vector<OutputErrors> Referee::compare_reference_before() {
  if (!reference_.has_lease() || !oracle_.has_lease()) return {};
  if (reference_.lease().outputs().size() != oracle_.lease().outputs().size()) return {};
  return compare_outputs(reference_.lease(), oracle_.lease());
}

CallReport Referee::checked_call(ContestantRunner& runner, const Draw& draw, Patience patience,
                                 const Lease* expected, CallKind kind) {
  Draw whole = draw;
  whole.weights = weights_;
  return runner.checked_call(whole, poison_key_, ++calls_, patience, expected, kind);
}

std::uint64_t Referee::count_wrong(std::size_t output, double limit) {
  return device_.count_wrong(candidate_->lease().pair_with(oracle_.lease(), output), limit);
}

std::uint64_t Referee::count_unwritten(std::size_t output) {
  return returns_outputs_ ? 0 : candidate_->lease().unwritten_elements(output);
}

std::optional<OutputValues> Referee::examine(const Case& bound, std::size_t output, const Draw& draw,
                                             const std::optional<Draw>& before, Patience patience) {
  auto values = examine_output(candidate_->lease(), oracle_.lease(), output);
  if (!values) return values;
  if (returns_outputs_) {
    values->untouched.assign(values->got.size(), false);
    return values;
  }
  Draw whole = draw;
  whole.weights = weights_;
  auto runner = candidate_->start_another();
  if (runner && (*runner)->load(candidate_library_, patience).ok()) {
    const auto lent = (*runner)->lend(bound, false, {true, false, draw.launches}, lending_patience);
    if (lent && lent->ok())
      call_on_filled_outputs(**runner, whole, {poison_key_, ++calls_, patience}, output, *values);
  }
  if (!before || before->launches != draw.launches) return values;
  if (checked_call(oracle_, *before, patience, nullptr).fault == Fault::none)
    values->before = oracle_.lease().output_values(output);
  return values;
}

Lease::Corruption Referee::diagnose(const Case& bound, const Draw& draw, Patience patience) {
  auto runner = candidate_->start_another();
  if (!runner || !(*runner)->load(candidate_library_, patience).ok()) return {};
  const auto lent = (*runner)->lend(bound, true, {true, true, draw.launches}, lending_patience);
  if (!lent || !lent->ok()) return {};
  return checked_call(**runner, draw, patience, nullptr).corruption;
}

Heard Referee::heard() {
  const WorkerOutput& output = candidate_->worker().output();
  return {output.text(), output.is_full()};
}

// The driver takes back what a process had when it ends, which can take a moment.
std::optional<Error> Referee::recover() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look_again{5};
  const auto deadline = Clock::now() + recovery_patience;
  for (std::uint64_t free = device_.free_bytes(); device_.gates_calls() && Clock::now() < deadline;) {
    std::this_thread::sleep_for(look_again);
    const std::uint64_t now = device_.free_bytes();
    if (now <= free) break;
    free = now;
  }
  return device_.prove_healthy();
}

}  // namespace kgrade
