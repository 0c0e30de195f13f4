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
#include "verify/checks.h"
#include "verify/expected_scales.h"

namespace kgrade {

// The longest usual wait, in milliseconds. An idle device begins new work within microseconds. A device with
// an endless kernel begins new work when that kernel's time slice is over.
constexpr double longest_wait_ms = 0.3;

// For calls longer than this, in milliseconds, one warm-up and one call of each other kind are enough.
// Loading takes a millisecond or two, which is little beside them. One call shows as well as two that a
// candidate is far faster on old contents.
constexpr double long_call_ms = 10;
// Calls longer than this are not repeated on old contents: a faster time there only gives a note.
constexpr double longest_probed_ms = 50;

// A baseline as it is chosen for one case.
struct BaselineChoice {
  std::string name;
  Precision precision = Precision::none;
  double median_ms = 0;
  // Baselines of one worker are lent its buffers together.
  const void* worker = nullptr;
};

// Times of the reference in a measured case, with no candidate on the device.
struct AloneTimes {
  std::vector<double> ms;       // of calls of one launch, as its worker reports them
  std::vector<Sample> samples;  // of these calls, and of some that were not queued
};
using ReferenceAlone = std::map<std::string, AloneTimes>;  // by case

// What a run has learnt of its cases, for all candidates.
struct KnownCases {
  ReferenceAlone reference_alone;  // as last measured; see time_reference_alone()
  // As ExpectedScales::learn() leaves them, by case and by whether weights stay as they are.
  std::map<std::pair<std::string, bool>, ExpectedScales> scales;
};

// The baselines of a run, as the run of one candidate uses them.
class Baselines {
 public:
  virtual ~Baselines() = default;
  // True if find() has been called, or need not be.
  virtual bool are_known() const = 0;
  // Tries the baselines, with no candidate on the device. An Error means that the oracle failed.
  virtual Errors find() = 0;
  // The baselines that are accepted in this case, in any order.
  virtual std::vector<BaselineChoice> choices(const std::string& case_name) const = 0;
  // Makes this one Role::baseline, in the process of that number. False if it cannot be started. Buffers lent
  // to other baselines of the same process stay.
  virtual bool activate(const std::string& name, int process) = 0;
  // After a failure: ends the baseline's process, and frees its memory. activate() starts a new process.
  virtual void retire(const std::string& name) = 0;
};

// For a self-test, whose two sides share one binary and differ in their amount of work. The reference has one
// side's case, the candidate has the other side's. The oracle has a case with the same answer for hardly any
// work. All three have the same tensors and the same name.
struct RoleCases {
  Case oracle;
  Case reference;
  Case candidate;
};

// Everything that the grading of one candidate uses. References are not owned; the rest are plain values.
struct Session {
  Arena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;  // of the candidate's contents
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; unset: by the reference's time
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  std::optional<int> launches = {};  // per sample; unset: by the fastest arm's time
  CacheState cache = CacheState::cold;
  // The candidate returns its outputs, so they are captured when the clock stops in every call.
  bool returns_outputs = false;
  BlockWatch* watch = nullptr;            // null: none
  TelemetrySampler* sampler = nullptr;    // counts readings by contestant; null: there is none
  std::optional<Ceilings> ceilings = {};  // of the device
  Baselines* baselines = nullptr;         // null: there are none
  std::uint32_t first_draw = 0;           // draws before it have been seen by an earlier process
  int candidate_calls = 0;                // calls of the candidate's present process so far
  bool candidate_was_killed = false;      // by a signal, perhaps not through its own fault
  // A case without measured calls that ends with one more call on the same contents; empty: none.
  std::string repeated_case = {};
  // What the run has learnt of its cases. The sessions of a heat share it.
  std::shared_ptr<KnownCases> known = std::make_shared<KnownCases>();
  std::optional<MeasuringGoal> goal = {};  // of a measured case; unset: by the effort
  const RoleCases* role_cases = nullptr;   // null: all roles have the same case
  CheckList checks = {};                   // of the candidate
};

// The case for a role's buffers, when the buffers of the others are for `bound`.
inline const Case& case_of(const Session& session, Role role, const Case& bound) {
  if (session.role_cases == nullptr || role == Role::baseline) return bound;
  if (role == Role::oracle) return session.role_cases->oracle;
  return role == Role::reference ? session.role_cases->reference : session.role_cases->candidate;
}

inline MeasuringGoal goal_of(const Session& session) {
  return session.goal.value_or(goal_for(session.effort));
}

}  // namespace kgrade
