// Results in the form that KernelBench's scripts read: eval_results.json as eval_from_generations.py writes
// it and benchmark_eval_analysis.py reads it (KernelBench 0.2.0.dev0, commit 423217d of 2026-03-05).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "leaderboard/leaderboard.h"

namespace kgrade {

struct KernelBenchResults {
  std::map<std::filesystem::path, std::string> files;  // with what is to be written into each
  std::size_t left_out = 0;  // candidates that are of no numbered problem, or that only a GPU can judge
};

// Of each candidate the newest result. `{run}` and `{level}` in `file` are replaced, so that there is a file
// for each; such a file is of one run and one level, since its keys are the numbers of problems alone.
// Errors: several runs or levels for one file, two results that would be the same sample, none at all.
Result<KernelBenchResults> kernelbench_results(const Leaderboard& leaderboard, const std::string& file);

}  // namespace kgrade
