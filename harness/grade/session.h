// What all cases of a candidate share.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
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
  BlockWatch* watch = nullptr;            // null: nobody watches
  TelemetrySampler* sampler = nullptr;    // who is to know whose call runs; null: nobody
  std::optional<Ceilings> ceilings = {};  // of the device
  // Baselines that take part, by case; those that are accepted there, in any order.
  std::map<std::string, std::vector<BaselineChoice>> baselines = {};
  // Finds them: called once, with no candidate on the device, when they are about to be needed. Null: they
  // are there. An Error is not theirs.
  std::function<Errors()> find_baselines = nullptr;
  // From now on this one plays Player::baseline, in the process of that number. False when it cannot.
  std::function<bool(const std::string& name, int process)> seat_baseline = [](const std::string&, int) {
    return false;
  };
  int candidate_calls = 0;  // so far, of the present candidate's process
  // What the reference takes alone, as last measured; see grade/reference_watch.h.
  ReferenceAlone reference_alone = {};
  std::optional<MeasuringGoal> goal = {};  // of a measured case; by the effort when unset
};

inline MeasuringGoal goal_of(const Session& session) {
  return session.goal.value_or(goal_for(session.effort));
}

}  // namespace kgrade
