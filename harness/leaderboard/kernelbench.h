// Results in the format of KernelBench's scripts: eval_results.json, as eval_from_generations.py writes it
// and benchmark_eval_analysis.py reads it (KernelBench 0.2.0.dev0, commit 423217d of 2026-03-05).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"
#include "leaderboard/leaderboard.h"

namespace kgrade {

struct KernelBenchResults {
  std::map<std::filesystem::path, std::string> files;  // the text of each file
  std::size_t left_out = 0;  // candidates whose problem has no number, or that only a GPU can judge
};

// The newest result of each candidate. `{run}` and `{level}` in `file` are replaced, so that each run and
// level gets its file. A file can hold only one run and one level, since its keys are numbers of problems.
// Errors: several runs or levels in one file, two results for one sample, or no result.
Result<KernelBenchResults> kernelbench_results(const Leaderboard& leaderboard, const std::string& file);

}  // namespace kgrade
