// Grades many candidates. Lanes grade in parallel, and each result is kept at once.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lanes/dispatcher.h"
#include "record/record.h"
#include "sweep/plan.h"
#include "sweep/result_file.h"

namespace kgrade {

struct LackOfPython {
  Errors errors;                   // the reasons; empty if nothing is lacking or needed
  bool is_named = false;           // by --python or $KGRADE_PYTHON: fix a wrong name before grading anything
  std::vector<std::size_t> tasks;  // those that are left out
};

// Checks the tasks without a result in `found`. `python` is the value of --python. Asks no interpreter unless
// a task needs one.
LackOfPython find_lack_of_python(const SweepPlan& plan, const std::vector<std::optional<Record>>& found,
                                 const std::string& python);

// The message for each task that is left out.
inline constexpr const char* without_python = "is in Python, and no Python with PyTorch was found";

struct SweepEvents {
  // The present state of the sweep. Called often, for a line that is overwritten or for a log at intervals.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  // A result of an earlier sweep counts. Called once for each, before anything is graded.
  std::function<void(const Record&)> taken_over = [](const Record&) {};
  // A candidate got its verdict. Now `done` of `all` candidates have one.
  std::function<void(const Record&, std::size_t done, std::size_t all)> result =
      [](const Record&, std::size_t, std::size_t) {};
};

struct SweepOptions : DispatcherOptions {
  LaneOptions lane;  // except the device
  Layout layout;
  SweepEvents events;
};

struct SweepOutcome {
  std::vector<Record> records;  // of all tasks with a verdict, in the plan's order, including older results
  std::size_t taken_over = 0;   // how many of them were already in the file
  std::vector<UngradedCandidate> ungraded;            // refused by the plan, or given up
  std::vector<std::filesystem::path> unmatched = {};  // match none of the problems
  Errors lacks = {};                                  // why this machine could not try some tasks
  double seconds = 0;
};

// Grades the tasks without a result in the file. An Error if results cannot be written, if all lanes have
// refused to grade (lanes/dispatcher.h), or if the named Python cannot run Python candidates. Results in the
// file stay.
Result<SweepOutcome> sweep(const SweepPlan& plan, const SweepOptions& options, ResultFile& results);

}  // namespace kgrade
