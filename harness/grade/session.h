// What all cases of a candidate share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contest/arena.h"
#include "measure/block_run.h"
#include "measure/clock_rule.h"
#include "measure/schedule.h"
#include "measure/telemetry.h"
#include "record/record.h"
#include "record/stage_clock.h"

namespace kgrade {

// A device that is idle begins with what it is asked for within microseconds; one that shares itself with a
// kernel that never ends does so when its time slice is over. In milliseconds.
constexpr double longest_wait_ms = 0.3;

// What a baseline can be chosen by, for one case.
struct BaselineChoice {
  std::string name;
  Precision precision = Precision::none;
  double median_ms = 0;
};

// Of the reference with no candidate on the device, of a case whose speed is measured.
struct AloneTimes {
  std::vector<double> ms;              // of calls of one launch, as its worker reports them
  std::vector<ClockReading> readings;  // of these calls, and of some that were not queued
};
using ReferenceAlone = std::map<std::string, AloneTimes>;  // by case

// The baselines of a run, as the run of one candidate needs them.
class Baselines {
 public:
  virtual ~Baselines() = default;
  // Whether find() has been called, or need not be.
  virtual bool are_known() const = 0;
  // Tries them, with no candidate on the device. An Error is not theirs: the oracle failed.
  virtual Errors find() = 0;
  // Those that are accepted in this case, in any order.
  virtual std::vector<BaselineChoice> choices(const std::string& case_name) const = 0;
  // From now on this one is Role::baseline, in the process of that number. False when it cannot be started.
  virtual bool activate(const std::string& name, int process) = 0;
};

// Owns nothing but what it remembers.
struct Session {
  Arena& arena;
  const Problem& problem;
  std::uint64_t seed = 0;
  Effort effort = Effort::normal;
  std::optional<Patience> time_limit;  // of one call of the candidate; by the reference's time when unset
  StageClock& stages;
  std::function<void(const std::string&)> progress;
  std::optional<int> launches = {};  // of a sample; by the fastest arm's time when unset
  CacheState cache = CacheState::cold;
  BlockWatch* watch = nullptr;            // null: none
  TelemetrySampler* sampler = nullptr;    // it is told whose call runs; null: there is none
  std::optional<Ceilings> ceilings = {};  // of the device
  Baselines* baselines = nullptr;         // null: there are none
  int candidate_calls = 0;                // so far, of the present candidate's process
  // What the reference takes alone, as last measured; see grade/reference_watch.h.
  ReferenceAlone reference_alone = {};
  std::optional<MeasuringGoal> goal = {};  // of a measured case; by the effort when unset
};

inline MeasuringGoal goal_of(const Session& session) {
  return session.goal.value_or(goal_for(session.effort));
}

}  // namespace kgrade
