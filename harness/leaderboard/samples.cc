#include "leaderboard/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "base/text.h"
#include "leaderboard/leaderboard.h"
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
    // Other inputs make another problem, so they make another run.
    std::string run_name = run_of(record->candidate().path, record->problem_slug);
    if (record->inputs)
      run_name += fmt::format("{}with {}", run_name.empty() ? "" : " ", fmt::join(*record->inputs, ", "));
    const Key key(std::move(run_name), name.level, std::string(device_model(record->device)), record->dtype);
    Tally& tally = runs[key][{name.problem, name.problem ? "" : record->problem_slug}];
    ++tally.samples;
    tally.accepted += record->candidate().verdict == Verdict::accepted ? 1 : 0;
  }
  std::vector<SampledRun> all;
  for (const auto& [key, tallies] : runs) {
    SampledRun run;
    std::tie(run.run, run.level, run.device, run.dtype) = key;
    run.problems = tallies.size();
    std::size_t fewest = tallies.begin()->second.samples;
    for (const auto& [problem, tally] : tallies) {
      run.samples += tally.samples;
      run.accepted += tally.accepted;
      fewest = std::min(fewest, tally.samples);
    }
    for (const std::size_t k : {std::size_t{1}, fewest}) {
      double sum = 0;
      for (const auto& [problem, tally] : tallies) sum += pass_at_k(tally.samples, tally.accepted, k);
      run.pass_at_k[k] = sum / static_cast<double>(tallies.size());
    }
    all.push_back(std::move(run));
  }
  return all;
}

namespace {

using Json = nlohmann::ordered_json;

// The contents of one file: problem, sample, result.
struct EvalFile {
  std::string run;
  int level = 0;  // 0: unknown
  std::map<int, std::map<int, const Record*>> problems;
  std::map<int, std::vector<const Record*>> unnumbered;  // samples
};
using EvalFiles = std::map<std::filesystem::path, EvalFile>;

// The times in milliseconds of the case that comes from KernelBench, or of the only case. Nothing if times do
// not measure speed.
std::optional<Summary> times_of_case(const Record& record) {
  const auto cases = compared_cases(record.candidate());
  const auto named =
      std::find_if(cases.begin(), cases.end(), [](const CaseRecord* c) { return c->name == "kernelbench"; });
  const CaseRecord* const one = named != cases.end() ? *named : cases.size() == 1 ? cases.front() : nullptr;
  if (one == nullptr || !record.device.measures_speed || one->candidate().summary.count == 0)
    return std::nullopt;
  return one->candidate().summary;
}

// The key that KernelBench uses for this kind of failure.
const char* trouble_key(Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:
    case Verdict::signature_mismatch:
      return "compilation_error";
    case Verdict::runtime_error:
    case Verdict::time_limit:
    case Verdict::memory_limit:
      return "runtime_error";
    case Verdict::accepted:
    case Verdict::wrong_answer:
    case Verdict::low_precision:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::unstable:
    case Verdict::cheating:
    case Verdict::unsupported:
      break;
  }
  return "correctness_issue";
}

Json metadata_of(const Record& record) {
  const CandidateRecord& candidate = record.candidate();
  Json metadata = {{"hardware", record.device.name},
                   {"device", record.device.kind},
                   {"kgrade_verdict", to_string(candidate.verdict)},
                   {"kgrade_candidate", candidate.path}};
  if (candidate.verdict != Verdict::accepted) {
    metadata[trouble_key(candidate.verdict)] = candidate.message;
    return metadata;
  }
  metadata["kgrade_precision"] = to_string(candidate.precision);
  for (const Score& score : candidate.scores) {
    const auto& interval = score.speedup.interval;
    metadata["kgrade_speedup_" + score.against] = {{"speedup", score.speedup.geometric_mean},
                                                   {"low", interval ? Json(interval->low) : Json(nullptr)},
                                                   {"high", interval ? Json(interval->high) : Json(nullptr)}};
  }
  return metadata;
}

Json sample_json(int number, const Record& record) {
  const Verdict verdict = record.candidate().verdict;
  const std::optional<Summary> times = times_of_case(record);
  Json stats = Json::object();
  if (times)
    stats = {{"median", times->median},
             {"first_quartile", times->first_quartile},
             {"third_quartile", times->third_quartile},
             {"min", times->minimum},
             {"num_trials", times->count},
             {"hardware", record.device.name},
             {"device", record.device.kind}};
  return {{"sample_id", number},
          {"compiled", std::string_view(trouble_key(verdict)) != "compilation_error"},
          {"correctness", verdict == Verdict::accepted},
          {"metadata", metadata_of(record)},
          {"runtime", times ? times->median : -1.0},
          {"runtime_stats", std::move(stats)}};
}

// "run a, level 1".
std::string described(const EvalFile& file) {
  return fmt::format("run '{}', {}", printable_line(file.run),
                     file.level > 0 ? fmt::format("level {}", file.level) : "no level");
}

std::optional<Error> add_result(EvalFiles& files, const std::string& pattern, const Record& record) {
  const KernelBenchName name = kernelbench_name_of(record);
  EvalFile own{run_of(record.candidate().path, record.problem_slug), name.level.value_or(0), {}, {}};
  const std::string path =
      replace_all(replace_all(pattern, "{level}", std::to_string(own.level)), "{run}", own.run);
  EvalFile& file = files.try_emplace(path, own).first->second;
  if (file.run != own.run || file.level != own.level)
    return Error{fmt::format("there are results of {}, and of {}: KernelBench has a file for each",
                             described(file), described(own)),
                 "name the records of one, or write {run} and {level} in the file's name: "
                 "--kernelbench 'runs/{run}/level{level}.json'",
                 {path, 0, 0}};
  if (!name.sample) {
    file.unnumbered[*name.problem].push_back(&record);
    return std::nullopt;
  }
  const auto [other, is_new] = file.problems[*name.problem].emplace(*name.sample, &record);
  if (is_new) return std::nullopt;
  return Error{fmt::format("two results are sample {} of problem {}: {} on {}, and {} on {}", *name.sample,
                           *name.problem, printable_line(other->second->candidate().path),
                           printable_line(other->second->device.name),
                           printable_line(record.candidate().path), printable_line(record.device.name)),
               "name the records of one run, GPU and element type",
               {path, 0, 0}};
}

}  // namespace

Result<KernelBenchResults> kernelbench_results(const Leaderboard& leaderboard, const std::string& file) {
  KernelBenchResults results;
  EvalFiles files;
  for (const Record* record : newest_records(leaderboard)) {
    if (!kernelbench_name_of(*record).problem || !can_judge(*record)) {
      ++results.left_out;
    } else if (const auto error = add_result(files, file, *record)) {
      return *error;
    }
  }
  if (files.empty())
    return Error{"--kernelbench: no result here is of a numbered problem",
                 "problems are called like level1/23_Softmax.py, or candidates like "
                 "level_1_problem_23_sample_0_kernel.py",
                 {}};
  for (auto& [path, one] : files) {
    // Samples without a number get free numbers, in order of path.
    for (auto& [problem, records] : one.unnumbered) {
      std::sort(records.begin(), records.end(),
                [](const Record* a, const Record* b) { return a->candidate().path < b->candidate().path; });
      int number = 0;
      auto& samples = one.problems[problem];
      for (const Record* record : records) {
        while (samples.contains(number)) ++number;
        samples[number] = record;
      }
    }
    Json json = Json::object();
    for (const auto& [problem, samples] : one.problems) {
      for (const auto& [number, record] : samples)
        json[std::to_string(problem)].push_back(sample_json(number, *record));
    }
    results.files[path] = json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return results;
}

}  // namespace kgrade
