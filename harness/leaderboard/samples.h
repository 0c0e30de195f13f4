// Candidates that are samples of one problem, in the layout of KernelBench's runs
// (runs/<run>/level_1_problem_23_sample_0_kernel.py), and pass@k.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "problem/kernelbench_names.h"
#include "record/record.h"

namespace kgrade {

// The name of the candidate's folder. Folders that are called like a level, a problem or a sample are
// skipped. Empty if there is no other folder.
std::string folder_of_run(const std::filesystem::path& candidate);

// The words before "sample" in the name: gpt-x-sample-0.cu and claude-y-sample-0.cu are of two runs. Without
// such words, folder_of_run(). `slug` is the problem's.
std::string run_of(const std::filesystem::path& candidate, const std::string& slug);

// Identifies a solution across problems, for fast_p and suite scores. It is "<run> sample 0" if the name
// contains the number of a sample, otherwise the file's name without its extension.
std::string solution_of(const std::filesystem::path& candidate, const std::string& slug);

// Level and number come from the file that the candidate was graded against, if that is one of KernelBench's.
// Otherwise they come from the candidate's name. The sample always comes from the candidate's name.
KernelBenchName kernelbench_name_of(const Record& record);

// The probability that at least one of k samples, drawn without replacement, is accepted: 1 - C(n - c, k) /
// C(n, k). This is the unbiased estimator of M. Chen et al., "Evaluating Large Language Models Trained on
// Code", 2021 (arXiv 2107.03374). 1 <= k <= samples.
double pass_at_k(std::size_t samples, std::size_t accepted, std::size_t k);

// A run at one level on one GPU model in one element type.
struct SampledRun {
  std::string run;
  std::optional<int> level;
  std::string device;
  Dtype dtype = Dtype::float32;
  std::size_t problems = 0;  // the number of problems that have samples
  std::size_t samples = 0;
  std::size_t accepted = 0;  // samples, in any class
  // The mean over problems, for k = 1 and for the number of samples that every problem has.
  std::map<std::size_t, double> pass_at_k;
};

// "pass@1 40.0 %, pass@5 70.0 %".
std::string pass_at_k_text(const SampledRun& run);

// Whether the record's device can judge the candidate. Also true if only the candidate's own process says
// that the device cannot, because any candidate could claim that.
bool can_judge(const Record& record);

// The runs of all candidates that have the number of a sample in their names. Each candidate counts once.
// Candidates that only a GPU can judge are left out.
std::vector<SampledRun> sampled_runs(const std::vector<const Record*>& newest);

// --- KernelBench's format ---
// Results for its scripts: eval_results.json, as eval_from_generations.py writes it and
// benchmark_eval_analysis.py reads it (KernelBench 0.2.0.dev0, commit 423217d of 2026-03-05).

struct Leaderboard;

struct KernelBenchResults {
  std::map<std::filesystem::path, std::string> files;  // the text of each file
  std::size_t left_out = 0;  // candidates whose problem has no number, or that only a GPU can judge
};

// The newest result of each candidate. `{run}` and `{level}` in `file` are replaced, so that each run and
// level gets its file. A file can hold only one run and one level, since its keys are numbers of problems.
// Errors: several runs or levels in one file, two results for one sample, or no result.
Result<KernelBenchResults> kernelbench_results(const Leaderboard& leaderboard, const std::string& file);

}  // namespace kgrade
