// How the speed of a case was measured, and what it came to.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/device_info.h"
#include "record/speed.h"
#include "record/verdict.h"

namespace kgrade {

// The blocks of one process of every contestant.
struct ProcessBlocks {
  int launches = 1;  // of a sample, each on tensors of its own
  std::vector<Block> blocks;
  BlockEnd end = BlockEnd::broken_off;
};

struct Measurement {
  CacheState cache = CacheState::cold;
  MeasuringGoal goal;
  double process_offset_ms = 0;  // of the device (DeviceInfo)
  std::vector<ProcessBlocks> processes;
};

// What the device's rates say about a case.
struct CaseRoofline {
  Floor floor;
  std::vector<double> shares;  // of each arm's median, in the order of the arms
};

// One contestant's speed beside another's.
struct Speedup {
  std::string against;  // "reference", or the baseline's name
  SpeedRatio ratio;     // above 1: the candidate is faster
};

// Speed over all measured cases of a candidate.
struct Score {
  std::string against;  // "reference", or "baseline": the fastest one of its class in each case
  SuiteScore speedup;   // geometric mean
  // KernelBench's fast_p: share of the cases with a speedup above p.
  std::map<double, double> fast = {};
};

// A baseline by itself, beside the reference.
struct BaselineCase {
  std::string name;
  Precision precision = Precision::none;  // that it reaches
  double relative_error = 0;
  std::string problem;     // why its answer is not accepted; empty: it is
  std::vector<double> ms;  // each of one launch
};

}  // namespace kgrade
