// Grades many candidates on one machine. Lanes grade in parallel, and each result is kept at once.
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
  // The present state. Called often, for a line that is overwritten or a log at intervals.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // A result of an earlier sweep counts. Called once for each, before anything is graded.
  std::function<void(const Record&)> taken_over = [](const Record&) {};
  // A candidate got its verdict. Now `done` of `all` candidates have one.
  std::function<void(const Record&, std::size_t done, std::size_t all)> result =
      [](const Record&, std::size_t, std::size_t) {};
  // A message that must stay visible.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

struct SweepOptions {
  LaneOptions lane;  // except the device
  // One for each lane: "cuda:0". If the lanes are elsewhere, only a name for messages: "lane 1".
  std::vector<std::string> devices;
  int build_jobs = 0;  // builders that run ahead of the lanes, each with one compiler; may be 0
  LaneCommand lane_command;
  Layout layout;
  SweepEvents events;
};

struct SweepOutcome {
  std::vector<Record> records;  // of all tasks with a verdict, in the plan's order, including older results
  std::size_t taken_over = 0;   // how many of them were already in the file
  std::vector<UngradedCandidate> ungraded;            // refused by the plan, or given up
  std::vector<std::filesystem::path> unmatched = {};  // match none of the problems
  Errors lacks = {};                                  // of this machine, because of which some were not tried
  double seconds = 0;
};

// Grades the tasks without a result in the file. A lane that refuses its work repeatedly is left out, with a
// note. An Error if results cannot be written, if no lane can be started or is left, or if the named Python
// cannot run Python candidates. Results in the file stay.
Result<SweepOutcome> sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results);

}  // namespace kgrade
