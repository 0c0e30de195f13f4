// What all cases of a candidate share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contest/arena.h"
#include "measure/block_run.h"
#include "measure/telemetry.h"
#include "record/record.h"
#include "record/stage_clock.h"
#include "verify/expected_scales.h"

namespace kgrade {

// An idle device begins new work within microseconds. A device that also runs a kernel that never ends begins
// it when that kernel's time slice is over. In milliseconds.
constexpr double longest_wait_ms = 0.3;

// For calls longer than this, in milliseconds, one warm-up and one of each other kind are enough: loading, a
// millisecond or two, is little beside them, and one call shows as well as two that a candidate is far faster
// on old contents.
constexpr double long_call_ms = 10;
// Calls longer than this are not repeated on old contents. Whether they are faster there is for a note alone.
constexpr double longest_probed_ms = 50;

// What a baseline can be chosen by, for one case.
struct BaselineChoice {
  std::string name;
  Precision precision = Precision::none;
  double median_ms = 0;
  // Those of one worker are lent its buffers together.
  const void* worker = nullptr;
};

// Times of the reference with no candidate on the device, in a case whose speed is measured.
struct AloneTimes {
  std::vector<double> ms;       // of calls of one launch, as its worker reports them
  std::vector<Sample> samples;  // of these calls, and of some that were not queued
};
using ReferenceAlone = std::map<std::string, AloneTimes>;  // by case

// What a run has learnt of its cases, whoever the candidate is.
struct KnownCases {
  ReferenceAlone reference_alone;  // as last measured; see time_reference_alone()
  // As ExpectedScales::learn() leaves them, by case, and by whether weights stay as they are.
  std::map<std::pair<std::string, bool>, ExpectedScales> scales;
};

// The baselines of a run, as the run of one candidate needs them.
class Baselines {
 public:
  virtual ~Baselines() = default;
  // True if find() has been called, or need not be.
  virtual bool are_known() const = 0;
  // Tries them, with no candidate on the device. An Error means that the oracle failed.
  virtual Errors find() = 0;
  // Those that are accepted in this case, in any order.
  virtual std::vector<BaselineChoice> choices(const std::string& case_name) const = 0;
  // From now on this one is Role::baseline, in the process of that number. False if it cannot be started.
  // Changes nothing that the others of the same process were lent.
  virtual bool activate(const std::string& name, int process) = 0;
  // It has failed: its process ends, with what is spoilt in it and the memory that it holds. activate()
  // starts a new one.
  virtual void retire(const std::string& name) = 0;
};

// Of a self-test, whose two sides share one binary and differ in their amount of work: the reference has one
// side's case, the candidate the other's, and the oracle one with the same answer for hardly any work. All
// three have the same tensors and the same name.
struct RoleCases {
  Case oracle;
  Case reference;
  Case candidate;
};

// References what it does not own; the rest are plain values.
struct Session {
  Arena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;  // of the candidate's contents
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; by the reference's time when unset
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  std::optional<int> launches = {};  // of a sample; by the fastest arm's time when unset
  CacheState cache = CacheState::cold;
  // The candidate returns its outputs: what counts is captured when the clock stops, in every call.
  bool returns_outputs = false;
  BlockWatch* watch = nullptr;            // null: none
  TelemetrySampler* sampler = nullptr;    // counts readings by contestant; null: there is none
  std::optional<Ceilings> ceilings = {};  // of the device
  Baselines* baselines = nullptr;         // null: there are none
  std::uint32_t first_draw = 0;           // those before it have been seen by an earlier process
  int candidate_calls = 0;                // so far, of the present candidate's process
  bool candidate_was_killed = false;      // by a signal, which need not be its own doing
  // What the run has learnt of its cases. The sessions of a heat share it.
  std::shared_ptr<KnownCases> known = std::make_shared<KnownCases>();
  std::optional<MeasuringGoal> goal = {};  // of a measured case; by the effort when unset
  const RoleCases* role_cases = nullptr;   // null: all roles have the same case
};

// Which case a role's buffers are for, when the others' are for `bound`.
inline const Case& case_of(const Session& session, Role role, const Case& bound) {
  if (session.role_cases == nullptr || role == Role::baseline) return bound;
  if (role == Role::oracle) return session.role_cases->oracle;
  return role == Role::reference ? session.role_cases->reference : session.role_cases->candidate;
}

inline MeasuringGoal goal_of(const Session& session) {
  return session.goal.value_or(goal_for(session.effort));
}

}  // namespace kgrade
