// Finds the results of an earlier sweep that count for this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace kgrade {

// For each task of the plan, by number, the newest result that this sweep would also have produced. Problem,
// reference, candidate, options and kind of device must be equal. On GPUs, the model must be equal too, if
// this machine has the requested GPUs. All other tasks are graded again.
struct EarlierResults {
  std::vector<std::optional<Record>> found;
  // "3 results in sweep.jsonl do not count, ...: 2 were made with other options, 1 on another device". Empty
  // if all results count.
  std::string note;
};

EarlierResults find_earlier_results(const SweepPlan& plan, const SweepOptions& options,
                                    const ResultFile& results);

}  // namespace kgrade
