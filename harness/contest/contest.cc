#include "contest/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "device/device.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

constexpr Patience recovery_patience{5'000};
// Marks the draw of the call that begins a turn and does not count: no other call has these contents.
constexpr std::uint32_t turns_draw = 1U << 25;

}  // namespace

Contest::Contest(Device& device, const Problem& problem, ContestantRunner& oracle,
                 ContestantRunner* reference, std::uint64_t seed)
    : device_(&device),
      problem_(&problem),
      oracle_(&oracle),
      reference_(reference),
      computed_(ComputedInputs::make(device, problem, oracle)),
      weights_(problem.has_model() ? 1 : 0),
      may_take_turns_(reference != nullptr),
      poison_key_(poison_key_of(seed)) {
  oracle_->take_inputs_from(computed_);
  if (reference_ != nullptr) reference_->take_inputs_from(computed_);
}

void Contest::set_candidate(std::unique_ptr<ContestantRunner> runner, std::filesystem::path library,
                            CandidateTraits traits) {
  set_checked(nullptr, traits);
  candidate_ = std::move(runner);
  candidate_->take_inputs_from(computed_);
  candidate_library_ = std::move(library);
}

void Contest::set_checked(std::unique_ptr<PassWorkers> workers, CandidateTraits traits) {
  weights_ = traits.is_module ? 1 : 0;
  returns_outputs_ = traits.returns_outputs;
  insists_on_turns_ = false;
  observed_.reset();
  candidate_.reset();
  pass_workers_ = std::move(workers);
}

void Contest::set_baseline(ContestantRunner* runner) {
  baseline_ = runner;
  if (baseline_ != nullptr) baseline_->take_inputs_from(computed_);
}

ContestantRunner& Contest::runner_of(Role role) {
  switch (role) {
    case Role::oracle:
      return *oracle_;
    case Role::reference:
      return *reference_;
    case Role::baseline:
      return *baseline_;
    case Role::candidate:
      break;
  }
  return *candidate_;
}

double Contest::busy_ms() {
  constexpr int looks = 3;
  double least = std::numeric_limits<double>::infinity();
  for (int look = 0; look < looks; ++look) {
    least = std::min(least, std::chrono::duration<double, std::milli>(device_->reveal({})).count());
  }
  return least;
}

Answer Contest::load_candidate(Patience worker_patience, Patience candidate_patience) {
  Answer answer = candidate_->await_ready(worker_patience);
  const CandidateTime::Span counted(time_);
  if (answer.ok()) answer = candidate_->load(candidate_library_, candidate_patience);
  return answer;
}

Answer Contest::lock_candidate(Patience patience, std::string& report) {
  const CandidateTime::Span counted(time_);
  Answer answer = candidate_->lock(patience);
  report = candidate_->report_of_rehearsal();
  return answer;
}

Result<Answer> Contest::start_anew(Patience worker_patience, Patience candidate_patience) {
  if (weights_ != 0) ++weights_;
  observed_.reset();
  for (ContestantRunner* const runner : {reference_, candidate_.get()}) {
    if (auto errors = runner->begin_anew(); !errors.empty()) return errors;
  }
  const Answer answer = reference_->finish_anew(worker_patience, worker_patience);
  if (!answer.ok()) {
    return machine_error("the reference cannot be started anew: " + answer.detail,
                         "run `kgrade doctor`; another program may hold the GPU");
  }
  const CandidateTime::Span counted(time_);
  return candidate_->finish_anew(worker_patience, candidate_patience);
}

Result<Answer> Contest::lend(Role role, const Case& bound, std::uint32_t launches) {
  if (role == Role::baseline) {
    if (turns_.are_taken) return machine_error("the device has no room for baselines beside the others");
    lent_baselines_.insert(baseline_);
    return lend_to(role, bound, launches);
  }
  turns_.lent[role] = {&bound, launches};
  // A measured case has the device to itself.
  if (bound.role == CaseRole::bench) observed_.reset();
  if (role == Role::oracle && may_take_turns_ && (insists_on_turns_ || is_too_large_for_all(bound)))
    turns_.are_taken = true;
  if (turns_.are_taken) return give_turn(role);
  auto lent = lend_to(role, bound, launches);
  // With fewer launches or without baselines, there may be room for all.
  if (lent || launches > 1 || !lent_baselines_.empty() || shares_contestants_ || !may_take_turns_)
    return lent;
  turns_.are_taken = true;
  return give_turn(role);
}

Result<Answer> Contest::lend_to(Role role, const Case& bound, std::uint32_t launches) {
  // A contestant of ours that ran out of memory has ended.
  if ((role == Role::oracle || role == Role::reference) && !runner_of(role).alive()) {
    auto started = runner_of(role).start_anew(trusted_patience, trusted_patience);
    if (!started || !started->ok()) return started;
  }
  // The oracle is not timed, so its outputs are not captured; they are widened to compare others with them.
  const bool oracle = role == Role::oracle;
  const bool captures = is_compared_elsewhere(role) ? problem_->has_model() : !oracle;
  const bool overwrites = role == Role::candidate && returns_outputs_;
  return runner_of(role).lend(bound, false, {true, captures, launches, oracle, overwrites}, lending_patience);
}

// In PyTorch the oracle has copies of all tensors in float64, and one more tensor for the answer. Other
// contestants keep two tensors of an output's size. The size of intermediate results is not known.
bool Contest::is_too_large_for_all(const Case& bound) const {
  if (!problem_->has_model() || !device_->gates_calls()) return false;
  std::uint64_t outputs = 0;
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.output)
      outputs += static_cast<std::uint64_t>(tensor.elements) * element_bytes(bound.dtype_of(tensor));
  }
  const std::uint64_t lent = Lease::bytes_needed(bound, true);
  const std::uint64_t of_oracle = 3 * lent + 2 * outputs;
  const std::uint64_t of_another = lent + 3 * outputs;
  return of_oracle + 2 * of_another > device_->free_bytes();
}

Result<Answer> Contest::give_turn(Role role) {
  turns_.whose.reset();
  for (const Role other : {Role::candidate, Role::reference, Role::oracle}) {
    if (other == role || (other == Role::candidate && candidate_ == nullptr)) continue;
    ContestantRunner& runner = runner_of(other);
    // The contestant has left, or has not been loaded yet.
    if (!runner.has_lease()) continue;
    // The oracle keeps its outputs, because the others are compared with them.
    Answer left = other == Role::oracle ? runner.release_memory() : runner.leave();
    if (!left.ok() && other == Role::candidate) runner.retire();
  }
  const auto [bound, launches] = turns_.lent.at(role);
  auto lent = lend_to(role, *bound, launches);
  if (lent && lent->ok()) turns_.whose = role;
  return lent;
}

std::optional<CallReport> Contest::prepare_turn(Role role, CallKind kind, const Draw& draw,
                                                Patience patience) {
  CallReport report;
  const auto lent = give_turn(role);
  if (!lent) {
    report.fault = Fault::memory_limit;
    report.detail = to_string(lent.errors());
    return report;
  }
  report.fault = lent->fault;
  report.detail = lent->detail;
  if (report.fault != Fault::none) return report;
  if (role == Role::oracle) return std::nullopt;
  Draw other = draw;
  other.index ^= turns_draw;
  other.change = 0;
  report = checked_call(runner_of(role), other, patience, nullptr, kind);
  const bool is_well = report.fault == Fault::none && report.call.error == 0 &&
                       report.corruption.guard_bytes == 0 && report.corruption.input_elements == 0;
  return is_well ? std::nullopt : std::optional(report);
}

bool Contest::insist_on_turns() {
  if (took_turns_ || !device_->gates_calls()) return false;
  insists_on_turns_ = true;
  return true;
}

void Contest::take_back() {
  took_turns_ = turns_.are_taken;
  turns_ = {};
  for (ContestantRunner* const runner : {oracle_, reference_, candidate_.get()}) {
    if (runner != nullptr) runner->take_back();
  }
  for (ContestantRunner* const runner : std::exchange(lent_baselines_, {})) runner->take_back();
}

CallReport Contest::call_as(Role role, CallKind kind, const Draw& draw, Patience patience,
                            std::span<const InputEdit> edits) {
  const CandidateTime::Span counted(role == Role::candidate ? time_ : nullptr);
  Edit edit;
  if (!edits.empty()) {
    edit = [&](Lease& lease) {
      for (const InputEdit& one : edits) write_edit(*device_, lease.tensors(), one);
    };
  }
  const bool is_checked = role == Role::candidate && pass_workers_ != nullptr;
  if (is_checked) patience = pass_workers_->before_call(patience);
  CallReport report = call_in_turn(role, kind, draw, patience, edit);
  if (is_checked) pass_workers_->after_call(report);
  if (!edits.empty()) report.corruption.input_elements = 0;
  return report;
}

std::vector<std::vector<double>> Contest::sample_expected() {
  return oracle_->has_lease() ? oracle_->lease().sample_outputs() : std::vector<std::vector<double>>();
}

void Contest::compare_by(std::vector<Magnitudes> magnitudes) {
  if (oracle_->has_lease()) oracle_->lease().set_magnitudes(std::move(magnitudes));
}

CallReport Contest::call_in_turn(Role role, CallKind kind, const Draw& draw, Patience patience,
                                 const Edit& edit) {
  if (turns_.are_taken && role != Role::baseline && turns_.whose != role) {
    if (auto failed = prepare_turn(role, kind, draw, patience)) return *failed;
  }
  // The expected outputs: none for roles that are not compared, nor if the oracle has no buffers.
  const bool is_compared = role != Role::oracle && !is_compared_elsewhere(role) && oracle_->has_lease();
  const Lease* const expected = is_compared ? &oracle_->lease() : nullptr;
  CallReport report = checked_call(runner_of(role), draw, patience, expected, kind, edit);
  // If a contestant of ours ran out of memory, it may have enough alone. It has ended, and is started anew.
  const bool is_ours = role == Role::oracle || role == Role::reference;
  if (report.fault != Fault::memory_limit || turns_.are_taken || !is_ours || !lent_baselines_.empty() ||
      shares_contestants_ || !may_take_turns_)
    return report;
  turns_.are_taken = true;
  return call_in_turn(role, kind, draw, patience, edit);
}

CallReport Contest::checked_call(ContestantRunner& runner, const Draw& draw, Patience patience,
                                 const Lease* expected, CallKind kind, const Edit& edit) {
  Draw whole = draw;
  whole.weights = weights_;
  return runner.checked_call(whole, poison_key_, ++calls_, patience, expected, kind, edit);
}

CallReport Contest::check_outputs(const Draw& draw, Patience patience) {
  const std::vector<Values> outputs = outputs_of(Role::candidate);
  const Edit hand_over = [&](Lease& lease) {
    std::size_t next = 0;
    for (const Lease::Loaned& tensor : lease.tensors())
      if (tensor.tensor->output) write_values(*device_, tensor, 0, outputs.at(next++));
  };
  if (turns_.are_taken && turns_.whose != Role::oracle) {
    if (auto failed = prepare_turn(Role::oracle, {}, draw, patience)) return *failed;
  }
  CallReport report;
  oracle_->worker().thaw();
  const Answer answer = oracle_->worker().describe_case(R"({"checks": true})", patience);
  oracle_->worker().freeze();
  report.fault = answer.fault;
  report.detail = answer.detail;
  Draw single = draw;
  single.launches = 1;
  return answer.ok() ? checked_call(*oracle_, single, patience, nullptr, {}, hand_over) : report;
}

std::uint64_t Contest::count_wrong(std::size_t output, double limit) {
  return device_->count_wrong(candidate_->lease().pair_with(oracle_->lease(), output), limit);
}

RuleCount Contest::count_by_rule(std::size_t output, const SetRule& rule) {
  const Lease& actual = candidate_->lease();
  if (!expects_reference_) return device_->count_by_rule(actual.pair_with(oracle_->lease(), output), rule);
  OutputPair pair =
      pair_of(actual.bound_case(), actual.compared(output), reference_->lease().compared(output));
  pair.expects_own_type = true;
  return device_->count_by_rule(pair, rule);
}

bool Contest::expect_reference(const Draw& draw, Patience patience) {
  expects_reference_ = false;
  if (reference_ == nullptr || !reference_->has_lease() || turns_.are_taken) return false;
  const CallReport report = checked_call(*reference_, draw, patience, nullptr);
  expects_reference_ = report.fault == Fault::none && report.call.error == 0;
  return expects_reference_;
}

std::uint64_t Contest::count_unwritten(std::size_t output) {
  return returns_outputs_ ? 0 : candidate_->lease().unwritten_elements(output);
}

std::optional<std::vector<std::byte>> Contest::output_bytes(std::uint64_t most) {
  if (!candidate_->has_lease()) return std::nullopt;
  const std::vector<Lease::Loaned> outputs = candidate_->lease().outputs();
  // Scales of codes may have padding, which nobody has to write.
  const auto bytes_of = [](const Lease::Loaned& output) -> std::uint64_t {
    if (output.tensor->compare == Comparison::Kind::scales) return 0;
    return static_cast<std::uint64_t>(output.tensor->elements) * element_bytes(output.dtype);
  };
  std::uint64_t total = 0;
  for (const Lease::Loaned& output : outputs) total += bytes_of(output);
  if (total > most) return std::nullopt;
  std::vector<std::byte> all(total);
  std::uint64_t at = 0;
  for (const Lease::Loaned& output : outputs) {
    if (bytes_of(output) == 0) continue;
    device_->read(*output.buffer, output.begin, all.data() + at, bytes_of(output));
    at += bytes_of(output);
  }
  return all;
}

std::vector<Values> Contest::outputs_of(Role role) {
  std::vector<Values> outputs;
  for (const Lease::Loaned& output : runner_of(role).lease().outputs())
    outputs.push_back(read_values(*device_, output));
  return outputs;
}

std::vector<Values> Contest::inputs_of(Role role) {
  std::vector<Values> inputs;
  for (const Lease::Loaned& tensor : runner_of(role).lease().tensors())
    inputs.push_back(tensor.tensor->output ? Values() : read_values(*device_, tensor));
  return inputs;
}

std::string Contest::unwritten_by(Role role) {
  const Lease& lease = runner_of(role).lease();
  const auto outputs = lease.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t count = lease.unwritten_elements(i);
    if (count > 0)
      return fmt::format("{} of {} elements of '{}'", count, outputs[i].tensor->elements,
                         outputs[i].tensor->name);
  }
  return "";
}

std::optional<OutputValues> Contest::read_output(std::size_t output) {
  const Lease& actual = candidate_->lease();
  const Tensor& tensor = *actual.outputs().at(output).tensor;
  if (static_cast<std::uint64_t>(tensor.elements) > most_examined_elements) return std::nullopt;
  OutputValues values;
  values.tensor = tensor.name;
  values.shape = tensor.shape;
  values.got = actual.output_values(output);
  values.untouched = actual.untouched(output);
  values.expected = oracle_->lease().output_values(output);
  const auto pair = actual.pair_with(oracle_->lease(), output);
  values.magnitudes = pair.magnitudes;
  if (!is_integer(pair.dtype)) values.dtype = pair.dtype;
  return values;
}

std::optional<OutputValues> Contest::examine(const Case& bound, std::size_t output, const Draw& draw,
                                             const std::optional<Draw>& before, Patience patience) {
  const CandidateTime::Span counted(time_);
  auto values = read_output(output);
  if (!values) return values;
  if (returns_outputs_) {
    // The memory that a checked candidate returns is not overwritten.
    if (pass_workers_ != nullptr)
      values->untouched.assign(values->got.size(), false);
    else
      values->untouched = candidate_->lease().still_overwritten(output);
    return values;
  }
  if (pass_workers_ != nullptr) {
    call_on_filled_outputs(*candidate_, draw, patience, output, *values);
    // Under a tool every call has copies of its own.
    values->was_fresh_memory = pass_workers_->has_tool();
    return values;
  }
  if (ContestantRunner* const runner = observed_candidate(patience)) {
    const auto lent = runner->lend(bound, false, {true, false, draw.launches}, lending_patience);
    if (lent && lent->ok()) call_on_filled_outputs(*runner, draw, patience, output, *values);
    runner->take_back();
  }
  if (!before || before->launches != draw.launches) return values;
  if (checked_call(*oracle_, *before, patience, nullptr).fault == Fault::none)
    values->before = oracle_->lease().output_values(output);
  return values;
}

// A call has outputs and the memory around all tensors hold values from 1 to 2 before it. If elements of the
// candidate's own call look like poison, a further one has NaNs around the tensors. Both have one number.
void Contest::call_on_filled_outputs(ContestantRunner& runner, const Draw& draw, Patience patience,
                                     std::size_t output, OutputValues& values) {
  // 1.0 as a float, 1.0078125 as two of bfloat16, 1.9375 as two of float16.
  constexpr std::uint32_t calm = 0x3f803f80;
  constexpr std::uint32_t nans = 0xffffffff;
  const std::uint32_t number = calls_ + 1;
  std::vector<std::vector<float>> filled;
  // The output after a call with these bytes around all tensors. Empty if the call fails.
  const auto call_amid = [&](std::uint32_t bytes) -> std::vector<double> {
    calls_ = number - 1;
    const CallReport report =
        checked_call(runner, draw, patience, nullptr, {.ahead = false, .captures = true}, [&](Lease& lease) {
          filled = lease.fill_outputs();
          lease.fill_guard_zones(bytes);
        });
    if (report.fault != Fault::none || report.call.error != 0) return {};
    return runner.lease().output_values(output);
  };
  values.again = call_amid(calm);
  if (values.again.empty()) return;
  values.filled = std::move(filled.at(output));
  // An element is infinite, NaN or huge where a usual number is expected.
  bool is_suspect = false;
  for (std::size_t i = 0; i < values.got.size() && !is_suspect; ++i)
    is_suspect = !values.untouched[i] && !(std::abs(values.got[i]) < least_poison) &&
                 std::abs(values.expected[i]) < least_poison;
  if (is_suspect) values.amid_nans = call_amid(nans);
}

Lease::Corruption Contest::diagnose(const Case& bound, const Draw& draw, Patience patience) {
  const CandidateTime::Span counted(time_);
  ContestantRunner* const runner = observed_candidate(patience);
  if (runner == nullptr) return {};
  const auto lent = runner->lend(bound, true, {true, true, draw.launches}, lending_patience);
  if (!lent || !lent->ok()) return {};
  const Lease::Corruption corruption = checked_call(*runner, draw, patience, nullptr).corruption;
  // The candidate may have written to memory of its own process as well, so its worker ends.
  observed_.reset();
  return corruption;
}

ContestantRunner* Contest::observed_candidate(Patience patience) {
  if (observed_ && observed_->alive()) return observed_.get();
  auto started = candidate_->start_another();
  observed_ = started ? std::move(*started) : nullptr;
  if (observed_ && !observed_->load(candidate_library_, patience).ok()) observed_.reset();
  return observed_.get();
}

void Contest::retire_candidate() {
  observed_.reset();
  candidate_->retire();
}

Result<Answer> Contest::enter(const CheckPass& pass, const Case& bound) {
  auto entered = pass_workers_->enter(pass, computed_, candidate_);
  if (!entered || !entered->ok()) return entered;
  // On a GPU the contestant gets copies anyway, and changes to its inputs are inspected.
  return candidate_->lend(bound, pass_workers_->has_tool(), pass_workers_->terms(), lending_patience);
}

Evidence Contest::leave() { return pass_workers_->leave(candidate_); }

Heard Contest::heard() {
  const WorkerOutput& output = candidate_->worker().output();
  return {output.text(), output.is_full()};
}

// When a process ends, the driver can take a moment to free its memory.
std::optional<Error> Contest::recover() {
  await_freed_memory(*device_, recovery_patience);
  return device_->prove_healthy();
}

}  // namespace kgrade
