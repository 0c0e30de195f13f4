#include "leaderboard/kernelbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "leaderboard/samples.h"

namespace kgrade {
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

// The case that comes from KernelBench, or the only case.
const CaseRecord* case_of(const Record& record) {
  const auto cases = compared_cases(record.candidate());
  for (const CaseRecord* one : cases) {
    if (one->name == "kernelbench") return one;
  }
  return cases.size() == 1 ? cases.front() : nullptr;
}

// The times of that case in milliseconds. Nothing if times do not measure speed.
std::optional<Summary> times_of_case(const Record& record) {
  const CaseRecord* one = case_of(record);
  if (one == nullptr || !record.device.measures_speed || one->candidate().summary.count == 0)
    return std::nullopt;
  return one->candidate().summary;
}

Json stats_of(const std::optional<Summary>& times, const Record& record) {
  if (!times) return Json::object();
  return {{"median", times->median},
          {"first_quartile", times->first_quartile},
          {"third_quartile", times->third_quartile},
          {"min", times->minimum},
          {"num_trials", times->count},
          {"hardware", record.device.name},
          {"device", record.device.kind}};
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
  return {{"sample_id", number},
          {"compiled", std::string_view(trouble_key(verdict)) != "compilation_error"},
          {"correctness", verdict == Verdict::accepted},
          {"metadata", metadata_of(record)},
          {"runtime", times ? times->median : -1.0},
          {"runtime_stats", stats_of(times, record)}};
}

std::string eval_text(const EvalFile& file) {
  Json json = Json::object();
  for (const auto& [problem, samples] : file.problems) {
    for (const auto& [number, record] : samples)
      json[std::to_string(problem)].push_back(sample_json(number, *record));
  }
  return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
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

// Gives free numbers to samples without a number, in order of path.
void number_samples(EvalFile& file) {
  for (auto& [problem, records] : file.unnumbered) {
    std::sort(records.begin(), records.end(),
              [](const Record* a, const Record* b) { return a->candidate().path < b->candidate().path; });
    int number = 0;
    auto& samples = file.problems[problem];
    for (const Record* record : records) {
      while (samples.contains(number)) ++number;
      samples[number] = record;
    }
  }
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
    number_samples(one);
    results.files[path] = eval_text(one);
  }
  return results;
}

}  // namespace kgrade
