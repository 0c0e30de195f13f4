// The core that calls contestants: oracle, reference, baseline and candidate, each in a worker process of its
// own. The contest owns inputs, expected outputs, poison and guard zones, and never loads a contestant.
// Grading, checking and lint call through it. Tests replace it by FakeContest (tests/support).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/role.h"
#include "contest/contestant_runner.h"
#include "contest/pass_workers.h"
#include "contest/tensor_values.h"

namespace kgrade {
// The time that a candidate causes: its build, loading it, its rehearsal and its calls. Thread-safe. One
// candidate is counted at a time.
class CandidateTime {
 public:
  struct Spent {
    std::size_t candidate = 0;  // its number
    double seconds = 0;
  };

  // From now on, counts for this candidate. Continues if this candidate is already counted, and otherwise
  // begins from 0.
  void count_for(std::size_t candidate) {
    const std::lock_guard lock(mutex_);
    if (candidate != spent_.candidate) spent_ = {candidate, 0};
  }
  // Begins from 0 again, since the same candidate is graded once more.
  void begin_again() {
    const std::lock_guard lock(mutex_);
    spent_.seconds = 0;
  }

  // Counts the time from its construction to its destruction. Spans that overlap count once.
  class Span {
   public:
    // `time` may be null: then nothing is counted.
    explicit Span(CandidateTime* time) : time_(time) {
      if (time_ != nullptr) time_->enter();
    }
    ~Span() {
      if (time_ != nullptr) time_->leave();
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    CandidateTime* time_;
  };

  // The time until now, including spans that still run.
  Spent spent() const {
    const std::lock_guard lock(mutex_);
    Spent now = spent_;
    if (spans_ > 0) now.seconds += since_last();
    return now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double since_last() const { return std::chrono::duration<double>(Clock::now() - last_).count(); }
  void enter() {
    const std::lock_guard lock(mutex_);
    if (spans_++ == 0) last_ = Clock::now();
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    if (--spans_ == 0) spent_.seconds += since_last();
  }

  mutable std::mutex mutex_;
  Spent spent_ = {static_cast<std::size_t>(-1), 0};
  int spans_ = 0;
  Clock::time_point last_;
};

// All elements of a wrong output, in flat order, to find out how it is wrong. A double holds every value of
// the narrower types, and integers up to 2^53.
struct OutputValues {
  std::string tensor;
  std::vector<std::int64_t> shape;
  std::vector<double> expected;
  std::vector<double> got;
  // The elements that still hold the poison. Poison is beyond 2^65, so a call that only adds to it leaves it.
  std::vector<bool> untouched;
  // For a second call on the same inputs: what the output held before the call (values from 1 to 2), and what
  // the call left. Empty if there was no second call.
  std::vector<float> filled;
  std::vector<double> again;
  // What a third call on the same inputs left, with NaNs in the memory around all tensors. Empty if there was
  // no third call.
  std::vector<double> amid_nans;
  std::vector<double> before;    // the expected output for the previous call's inputs; empty if unknown
  Magnitudes magnitudes;         // with which the output was compared
  Dtype dtype = Dtype::float64;  // a difference that rounding to this type explains is no error
  // The outputs were fresh memory without poison, so `untouched` says nothing.
  bool was_fresh_memory = false;
};

// Larger outputs are not read back.
constexpr std::uint64_t most_examined_elements = std::uint64_t{1} << 22;
// Poison elements are at least 2^65 in size, or not finite (device/poison.h). A sum may cancel half of that.
inline constexpr double least_poison = 1.8e19;

// What a contestant has printed.
struct Heard {
  std::string text;
  bool is_full = false;  // there may have been more
};

// Properties of a candidate.
struct CandidateTraits {
  // The candidate, or the model that it is compared with, keeps its weights for all calls of a process. The
  // next process gets other weights.
  bool is_module = false;
  bool returns_outputs = false;  // and does not write to the lent outputs
};

// Makes every call in one way, timed or not: moves tensors within their buffers, fills outputs and guard
// zones with fresh poison, draws new inputs and flushes the cache (Lease::prepare(), poison() and reveal()),
// asks the worker (at a gate, before the poison), then checks guard zones, inputs and outputs.
class Contest {
 public:
  // Oracle and reference stay for all candidates. `reference` may be null if it is not called. The run's seed
  // also decides what buffers are filled with.
  Contest(Device& device, const Problem& problem, ContestantRunner& oracle, ContestantRunner* reference,
          std::uint64_t seed);
  virtual ~Contest() = default;
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  // `library` is loaded by load_candidate(), and again to find out what is wrong.
  void set_candidate(std::unique_ptr<ContestantRunner> runner, std::filesystem::path library,
                     CandidateTraits traits = {});
  // A candidate that is checked: enter() starts its worker, and leave() ends it.
  void set_checked(std::unique_ptr<PassWorkers> workers, CandidateTraits traits);
  // Counts the time of the candidate's loading, rehearsal and calls, and of nothing else. Null: the time is
  // not counted.
  void count_time(CandidateTime* time) { time_ = time; }
  // Sets the contestant of Role::baseline; null for none. Earlier baselines keep their buffers until
  // take_back().
  void set_baseline(ContestantRunner* runner);
  // Call this if other runs use the same oracle and reference. A lack of memory is then reported, and no
  // turns are taken because of it.
  void share_contestants() { shares_contestants_ = true; }
  // For callers that keep buffers of oracle and reference and compare them: contestants never take turns, and
  // calls of the reference are not compared.
  void take_no_turns() { may_take_turns_ = false; }

  virtual DeviceInfo device_info() const { return device_->info(); }
  // False if times mean nothing on this device.
  bool measures_speed() const { return device_info().measures_speed; }
  // How many bytes of the device's memory are free.
  virtual std::uint64_t free_bytes() { return device_->free_bytes(); }
  // How long the device is busy with work that is not ours, in milliseconds. Before the candidate is loaded,
  // that is the work of other programs.
  virtual double busy_ms();
  // Whether the candidate is a module, whose weights stay as they are from call to call.
  bool keeps_weights() const { return weights_ != 0; }

  // Waits for the candidate's worker, then loads the candidate.
  virtual Answer load_candidate(Patience worker_patience, Patience candidate_patience);
  // Starts new processes of reference and candidate. Returns the answer to loading the candidate. An Error is
  // not the candidate's fault.
  virtual Result<Answer> start_anew(Patience worker_patience, Patience candidate_patience);

  // Lends buffers for a case, for calls of up to `launches` launches, in place of the previous case's. An
  // Error when the device has no room.
  virtual Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches);
  // Gives the buffers of all roles back.
  virtual void take_back();
  // Whether contestants take turns, until take_back(), because the device has no room for all of them at
  // once. Each then has the memory to itself for its calls, and first makes a call that does not count.
  bool takes_turns() const { return turns_.are_taken; }
  // Makes contestants take turns in all cases from now on, until the next candidate. False if that makes no
  // room: they took turns in the last case, or memory is not shared.
  virtual bool insist_on_turns();

  // The outputs of all roles but the oracle are compared with those of the oracle's latest call. `edits` are
  // changes to the drawn inputs. What they change is not reported as corruption.
  virtual CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience,
                             std::span<const InputEdit> edits = {});
  CallReport call(Role role, const Draw& draw, Patience patience) {
    return call_as(role, {}, draw, patience);
  }
  // For a problem whose file has check(): hands the outputs of the candidate's latest call, which was of this
  // draw, to check() in the oracle's process. The fault `no_answer` says that they are wrong, and `detail`
  // why. The oracle's outputs are lost.
  virtual CallReport check_outputs(const Draw& draw, Patience patience);
  // For each output of the case, a sample of what the oracle's latest call left (Lease::sample_outputs).
  virtual std::vector<std::vector<double>> sample_expected();
  // Sets the magnitudes of each output of the case. Comparisons use them until new buffers are lent to the
  // oracle.
  virtual void compare_by(std::vector<Magnitudes> magnitudes);
  // After a failed comparison, for the candidate's output number `output`: how many elements differ by more
  // than `limit` (in the units of device::own_unit_of()), and how many the call did not write.
  virtual std::uint64_t count_wrong(std::size_t output, double limit);
  virtual std::uint64_t count_unwritten(std::size_t output);
  // Judges the candidate's output number `output` in its latest call by the rule of the problem's set. The
  // expected output is the reference's after expect_reference(), and otherwise what the oracle's latest call
  // left.
  virtual RuleCount count_by_rule(std::size_t output, const SetRule& rule);
  // Calls the reference, whose outputs count_by_rule() then takes as the expected ones, as the set does.
  // False if there is no reference, or if it fails; then the oracle's outputs are expected.
  virtual bool expect_reference(const Draw& draw, Patience patience);
  // The bytes of all outputs of the candidate's latest call, one after the other. Nothing if they are more
  // than `most`.
  virtual std::optional<std::vector<std::byte>> output_bytes(std::uint64_t most);
  // All outputs of the role's latest call, or its inputs as drawn and edited, in the order of Case::tensors.
  // Inputs are empty for tensors that are outputs.
  virtual std::vector<Values> outputs_of(Role role);
  virtual std::vector<Values> inputs_of(Role role);
  // The elements that the role's latest call did not write: "3 of 217 elements of 'y'". Empty if it wrote
  // all.
  virtual std::string unwritten_by(Role role);
  // Reads in full what the latest calls left in the output. Nothing if it is too large.
  virtual std::optional<OutputValues> read_output(std::size_t output);
  // Like read_output(), and also repeats the call: in a fresh process, or in the present one of a pass.
  // `before` is the draw of the previous call. Changes the oracle's outputs.
  virtual std::optional<OutputValues> examine(const Case& bound, std::size_t output, const Draw& draw,
                                              const std::optional<Draw>& before, Patience patience);

  // After a candidate died in a call: repeats the call in a fresh worker that may write to its inputs.
  // Returns which inputs or guard zones this call changes.
  virtual Lease::Corruption diagnose(const Case& bound, const Draw& draw, Patience patience);
  // After the candidate's worker has ended: waits until the device is free of the worker, and proves that the
  // device is healthy. An Error when it is not.
  virtual std::optional<Error> recover();

  // Whether the candidate compiles and tunes itself in its first calls (Python). The rehearsal makes these
  // calls on contents that no other call has. lock_candidate() ends the rehearsal. `report` is the
  // candidate's own account of the rehearsal, in JSON.
  virtual bool candidate_rehearses() const { return candidate_->rehearses(); }
  virtual Answer lock_candidate(Patience patience, std::string& report);
  // Forgets what the candidate has printed. heard() returns the bytes that the candidate prints from now on,
  // as far as there is room.
  virtual void begin_listening() { candidate_->worker().output().clear(); }
  virtual Heard heard();

  // Ends the candidate's worker.
  virtual void retire_candidate();
  // Kills the worker without waiting, so that several can end side by side. Call retire_candidate()
  // afterwards.
  virtual void kill_candidate() { candidate_->kill(); }
  virtual bool candidate_alive() const { return candidate_ != nullptr && candidate_->alive(); }
  // Sorted names of the libraries that are open in the candidate's process and were not open before the
  // candidate was loaded. Empty if the process has ended.
  virtual std::vector<std::string> opened_libraries() { return candidate_->opened_libraries(); }

  // Starts a pass of a candidate that is checked, in a fresh worker, and lends buffers for the case. An Error
  // is the machine's fault. A fault in the answer is the candidate's.
  virtual Result<Answer> enter(const CheckPass& pass, const Case& bound);
  // Ends the pass, and its worker if that still lives. Returns what the pass left.
  virtual Evidence leave();

  // Null for a test's fake.
  Device* device() const { return device_; }
  ContestantRunner& runner_of(Role role);

 protected:
  // Without contestants, for a test's fake.
  Contest() = default;

 private:
  // A further process of the candidate, for calls that explain what is wrong. It stays for the next cases,
  // because a process in Python takes seconds to start. Null if it cannot be started.
  ContestantRunner* observed_candidate(Patience patience);
  using Edit = ContestantRunner::Edit;
  CallReport checked_call(ContestantRunner& runner, const Draw& draw, Patience patience,
                          const Lease* expected, CallKind kind = {}, const Edit& edit = {});
  // More calls on the same inputs, which fill `values` in. Adds nothing if a call fails.
  void call_on_filled_outputs(ContestantRunner& runner, const Draw& draw, Patience patience,
                              std::size_t output, OutputValues& values);
  // Calls in the role's turn, if turns are taken.
  CallReport call_in_turn(Role role, CallKind kind, const Draw& draw, Patience patience, const Edit& edit);
  // Whether the caller compares the role's outputs; see take_no_turns().
  bool is_compared_elsewhere(Role role) const { return role == Role::reference && !may_take_turns_; }
  Result<Answer> lend_to(Role role, const Case& bound, std::uint32_t launches);
  bool is_too_large_for_all(const Case& bound) const;
  // Takes back the buffers of the other roles, except those of the oracle, which hold its outputs. Then lends
  // buffers to this role.
  Result<Answer> give_turn(Role role);
  // Gives the role the device's memory for this call. Returns a report if that fails.
  std::optional<CallReport> prepare_turn(Role role, CallKind kind, const Draw& draw, Patience patience);

  Device* device_ = nullptr;
  const Problem* problem_ = nullptr;
  ContestantRunner* oracle_ = nullptr;
  ContestantRunner* reference_ = nullptr;  // null: not called
  std::shared_ptr<ComputedInputs> computed_;
  ContestantRunner* baseline_ = nullptr;
  std::set<ContestantRunner*> lent_baselines_;
  std::unique_ptr<PassWorkers> pass_workers_;  // null: the candidate is not checked
  std::unique_ptr<ContestantRunner> candidate_;
  CandidateTime* time_ = nullptr;
  std::unique_ptr<ContestantRunner> observed_;  // see observed_candidate()
  std::filesystem::path candidate_library_;
  std::uint32_t weights_ = 0;  // see Draw
  bool returns_outputs_ = false;
  struct Turns {
    bool are_taken = false;
    std::optional<Role> whose;
    std::map<Role, std::pair<const Case*, std::uint32_t>> lent;  // what each role has: the case, launches
  };
  Turns turns_;
  bool may_take_turns_ = true;
  bool insists_on_turns_ = false;
  bool shares_contestants_ = false;
  bool expects_reference_ = false;  // see expect_reference()
  bool took_turns_ = false;         // contestants took turns in the last case
  std::uint64_t poison_key_ = 0;    // never leaves this process
  std::uint32_t calls_ = 0;
};

}  // namespace kgrade
