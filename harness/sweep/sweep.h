// Many candidates on one machine: lanes that grade side by side, results that are kept as they come.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/lane.h"
#include "sweep/plan.h"
#include "sweep/queue.h"
#include "sweep/result_file.h"

namespace kgrade {

struct SweepEvents {
  // What is going on, called often: for a line that is overwritten, or for a log at intervals.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // A candidate has its verdict; `done` of `all` have theirs.
  std::function<void(const Record&, std::size_t done, std::size_t all)> result =
      [](const Record&, std::size_t, std::size_t) {};
  // A message that must stay visible.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

struct SweepOptions {
  LaneOptions lane;                  // but for the device
  std::vector<std::string> devices;  // of the lanes, one each: "cuda:0"
  int build_jobs = 0;                // that run ahead of the lanes, a compiler at a time in each; 0: none do
  std::vector<std::string> lane_command;
  bool devices_elsewhere = false;  // not on this machine
  bool resume = false;             // what an earlier sweep has begun elsewhere goes on
  Layout layout;
  SweepEvents events;
};

struct SweepOutcome {
  std::vector<Record> records;  // of all tasks that have a verdict, in the plan's order; older ones too
  std::size_t taken_over = 0;   // of them, those that were in the file already
  std::vector<UngradedCandidate> ungraded;            // refused by the plan, or given up
  std::vector<std::filesystem::path> unmatched = {};  // named after none of the problems
  Errors lacks = {};                        // of this machine, for which some of them were not tried
  double seconds = 0;
};

// Grades the tasks that have no result in the file yet. A lane that refuses its work again and again
// is left out, with a note. An Error when results cannot be written, no lane can be started or none is left,
// or when the Python that is named runs no candidates in Python; what is in the file stays.
Result<SweepOutcome> sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results);

}  // namespace kgrade
