#include "leaderboard/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "record/ci_formats.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// True for folders such as "level_1", "problem_23" and "sample_0".
bool says_only_numbers(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with("level") && !name.starts_with("problem") && !name.starts_with("sample")) return false;
  const KernelBenchName read = read_candidate_name(folder.filename());
  return read.level || read.problem || read.sample;
}

struct Tally {
  std::size_t samples = 0;
  std::size_t accepted = 0;
};

// Tallies by the problem's number, or by its slug if it has no number.
using Tallies = std::map<std::pair<std::optional<int>, std::string>, Tally>;

std::size_t fewest_samples(const Tallies& tallies) {
  std::size_t fewest = tallies.begin()->second.samples;
  for (const auto& [problem, tally] : tallies) fewest = std::min(fewest, tally.samples);
  return fewest;
}

double mean_pass_at_k(const Tallies& tallies, std::size_t k) {
  double sum = 0;
  for (const auto& [problem, tally] : tallies) sum += pass_at_k(tally.samples, tally.accepted, k);
  return sum / static_cast<double>(tallies.size());
}

}  // namespace

std::string folder_of_run(const fs::path& candidate) {
  fs::path folder = candidate.parent_path();
  while (says_only_numbers(folder)) folder = folder.parent_path();
  const std::string name = folder.filename().string();
  return name == "." || name == ".." ? "" : name;
}

std::string run_of(const fs::path& candidate, const std::string& slug) {
  std::string words = words_before_sample(candidate, slug);
  return words.empty() ? folder_of_run(candidate) : words;
}

std::string solution_of(const fs::path& candidate, const std::string& slug) {
  const KernelBenchName name = read_candidate_name(candidate);
  if (!name.sample) return candidate.stem().string();
  const std::string run = run_of(candidate, slug);
  return fmt::format("{}{}sample {}", run, run.empty() ? "" : " ", *name.sample);
}

KernelBenchName kernelbench_name_of(const Record& record) {
  KernelBenchName name = read_candidate_name(record.candidate().path);
  const fs::path reference = record.reference.path;
  if (reference.extension() != ".py") return name;
  const KernelBenchName graded = read_problem_name(reference);
  if (graded.problem) std::tie(name.level, name.problem) = std::tie(graded.level, graded.problem);
  return name;
}

double pass_at_k(std::size_t samples, std::size_t accepted, std::size_t k) {
  if (k < 1 || k > samples || accepted > samples)
    throw std::invalid_argument("pass_at_k: k of so many samples");
  double none = 1;  // the probability that none of the k draws is accepted
  for (std::size_t drawn = 0; drawn < k; ++drawn) {
    const std::size_t left = samples - accepted;
    if (drawn >= left) return 1;
    none *= static_cast<double>(left - drawn) / static_cast<double>(samples - drawn);
  }
  return 1 - none;
}

std::string pass_at_k_text(const SampledRun& run) {
  std::string text;
  for (const auto& [k, share] : run.pass_at_k)
    text += fmt::format("{}pass@{} {:.1f} %", text.empty() ? "" : ", ", k, 100 * share);
  return text;
}

namespace {

// The run of a record. Other inputs make another problem, so they make another run.
std::string run_with_inputs(const Record& record) {
  const std::string run = run_of(record.candidate().path, record.problem_slug);
  return record.inputs
             ? fmt::format("{}{}with {}", run, run.empty() ? "" : " ", fmt::join(*record.inputs, ", "))
             : run;
}

}  // namespace

// If the referee itself finds that only a GPU can run the candidate, the check `compile` has failed.
bool can_judge(const Record& record) {
  const std::vector<Check>& checks = record.candidate().checks;
  return !needs_a_gpu(record) || std::any_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.name == "completion" && check.outcome == CheckOutcome::failed;
  });
}

std::vector<SampledRun> sampled_runs(const std::vector<const Record*>& newest) {
  using Key = std::tuple<std::string, std::optional<int>, std::string, Dtype>;
  std::map<Key, Tallies> runs;
  for (const Record* record : newest) {
    const KernelBenchName name = kernelbench_name_of(*record);
    if (!name.sample || !can_judge(*record)) continue;
    const Key key(run_with_inputs(*record), name.level, std::string(device_model(record->device)),
                  record->dtype);
    Tally& tally = runs[key][{name.problem, name.problem ? "" : record->problem_slug}];
    ++tally.samples;
    tally.accepted += record->candidate().verdict == Verdict::accepted ? 1 : 0;
  }
  std::vector<SampledRun> all;
  for (const auto& [key, tallies] : runs) {
    SampledRun run;
    std::tie(run.run, run.level, run.device, run.dtype) = key;
    run.problems = tallies.size();
    for (const auto& [problem, tally] : tallies) {
      run.samples += tally.samples;
      run.accepted += tally.accepted;
    }
    for (const std::size_t k : {std::size_t{1}, fewest_samples(tallies)})
      run.pass_at_k[k] = mean_pass_at_k(tallies, k);
    all.push_back(std::move(run));
  }
  return all;
}

}  // namespace kgrade
