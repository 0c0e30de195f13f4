// Which results of an earlier sweep count for this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace kgrade {

// Of the plan's tasks, by number: the newest result that was made as this sweep would make it, on the same
// problem, reference and candidate, with the same options, and on the same kind of device (of a GPU, the same
// model, where this machine has those that are asked for). All others are graded again.
struct EarlierResults {
  std::vector<std::optional<Record>> found;
  // "3 results in sweep.jsonl do not count, ...: 2 were made with other options, 1 on another device"; empty
  // where there is none.
  std::string note;
};

EarlierResults find_earlier_results(const SweepPlan& plan, const SweepOptions& options,
                                    const ResultFile& results);

}  // namespace kgrade
