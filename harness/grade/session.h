// A session is the grading of one candidate: what all of its cases share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/matrix_units.h"
#include "contest/contest.h"
#include "measure/block_run.h"
#include "measure/telemetry.h"
#include "record/record.h"
#include "record/stage_clock.h"
#include "verify/checks.h"
#include "verify/expected_scales.h"

namespace kgrade {

// If new work waits longer than this, in milliseconds, the device has other work. An idle device begins new
// work within microseconds. A device with an endless kernel begins new work when that kernel's time slice is
// over.
constexpr double longest_wait_ms = 0.3;

// For calls longer than this, in milliseconds, one warm-up and one call of each other kind are enough.
// Loading a kernel takes one or two milliseconds, which is little beside such a call. A single call is enough
// to show that a candidate is far faster on inputs that it has seen before.
constexpr double long_call_ms = 10;
// Calls longer than this, in milliseconds, are not repeated on inputs that the candidate has seen before. A
// shorter time on such inputs would only add a note to the record.
constexpr double longest_probed_ms = 50;

// A baseline as it is chosen for one case.
struct BaselineChoice {
  std::string name;
  Precision precision = Precision::none;
  double median_ms = 0;
  // Baselines with the same worker use the same buffers.
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
  // The results of ExpectedScales::learn(), by the name of the case and by whether the weights stay the same.
  std::map<std::pair<std::string, bool>, ExpectedScales> scales;
};

// The baselines of a run, as the run of one candidate uses them.
class Baselines {
 public:
  virtual ~Baselines() = default;
  // True if find() has been called, or if the call is not needed.
  virtual bool are_known() const = 0;
  // Tries the baselines, with no candidate on the device. An Error means that the oracle failed.
  virtual Errors find() = 0;
  // The baselines that are accepted in this case, in any order.
  virtual std::vector<BaselineChoice> choices(const std::string& case_name) const = 0;
  // Makes the named baseline Role::baseline, in its process number `process`. False if the process cannot be
  // started. Buffers lent to other baselines of the same process stay.
  virtual bool activate(const std::string& name, int process) = 0;
  // After a failure: ends the baseline's process, and frees its memory. activate() starts a new process.
  virtual void retire(const std::string& name) = 0;
};

// The cases of a run that compares two amounts of work in one binary. The reference runs one amount,
// and the candidate runs the other. The answer does not depend on the amount, so the oracle runs a small one.
// All three cases have the same tensors and the same name.
struct RoleCases {
  Case oracle;
  Case reference;
  Case candidate;
};

// Everything that the grading of one candidate uses. References are not owned; the rest are plain values.
struct Session {
  Contest& contest;
  const Problem& problem;
  std::uint64_t seed = 0;  // of the candidate's contents
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; unset: by the reference's time
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  std::optional<int> launches = {};  // per sample; unset: by the time of the fastest contestant
  CacheState cache = CacheState::cold;
  // The candidate returns its outputs, so in every call they are captured when the clock stops.
  bool returns_outputs = false;
  BlockWatch* watch = nullptr;            // null: none
  TelemetrySampler* sampler = nullptr;    // counts readings by contestant; null: there is none
  std::optional<Ceilings> ceilings = {};  // of the device
  Baselines* baselines = nullptr;         // null: there are none
  std::uint32_t first_draw = 0;           // an earlier process has seen the draws below this number
  int candidate_calls = 0;                // calls of the candidate's present process so far
  bool candidate_was_killed = false;      // by a signal, perhaps not through its own fault
  // The name of the case that ends with one more call on the same inputs. Empty: no case does. The case has
  // no measured calls.
  std::string repeated_case = {};
  // What the run has learnt about its cases. The sessions of candidates that are graded side by side share
  // it.
  std::shared_ptr<KnownCases> known = std::make_shared<KnownCases>();
  std::optional<MeasuringGoal> goal = {};  // of a measured case; unset: by the effort
  const RoleCases* role_cases = nullptr;   // null: all roles have the same case
  CheckList checks = {};                   // of the candidate
  MatrixUnits* matrix_units = nullptr;     // of the candidate; null: the record does not name them
};

// The case that a role gets its buffers for. This is `bound`, unless roles have cases of their own.
inline const Case& case_of(const Session& session, Role role, const Case& bound) {
  if (session.role_cases == nullptr || role == Role::baseline) return bound;
  if (role == Role::oracle) return session.role_cases->oracle;
  return role == Role::reference ? session.role_cases->reference : session.role_cases->candidate;
}

inline MeasuringGoal goal_of(const Session& session) {
  return session.goal.value_or(goal_for(session.effort));
}

}  // namespace kgrade
