// Candidates that are samples of one problem, as the runs of KernelBench have them
// (runs/<run>/level_1_problem_23_sample_0_kernel.py), and pass@k.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "problem/kernelbench_names.h"
#include "record/record.h"

namespace kgrade {

// The folder of a candidate, but for folders that are called like a level, a problem or a sample; empty where
// there is none.
std::string run_of(const std::filesystem::path& candidate);

// What fast_p and suite scores follow over problems: "<run> sample 0" where the name says which sample it is,
// else the file's name without its ending.
std::string solution_of(const std::filesystem::path& candidate);

// Level and number are those of the file that the candidate was graded against, where that is one of
// KernelBench's; else what the candidate's own name says. The sample is always by its name.
KernelBenchName kernelbench_name_of(const Record& record);

// The probability that of k of the samples, drawn without replacement, at least one is accepted: 1 - C(n - c,
// k) / C(n, k), the unbiased estimator of M. Chen et al., "Evaluating Large Language Models Trained on Code",
// 2021 (arXiv 2107.03374). 1 <= k <= samples.
double pass_at_k(std::size_t samples, std::size_t accepted, std::size_t k);

// A run of one level on one GPU model in one element type.
struct SampledRun {
  std::string run;
  std::optional<int> level;
  std::string device;
  Dtype dtype = Dtype::float32;
  std::size_t problems = 0;  // that have samples
  std::size_t samples = 0;
  std::size_t accepted = 0;  // of the samples, in whatever class
  // The mean over problems, for k = 1 and for as many samples as every problem has.
  std::map<std::size_t, double> pass_at_k;
};

// "pass@1 40.0 %, pass@5 70.0 %".
std::string pass_at_k_text(const SampledRun& run);

// Of candidates whose names say which sample they are, each once; without those that only a GPU can judge.
std::vector<SampledRun> sampled_runs(const std::vector<const Record*>& newest);

}  // namespace kgrade
