#include "leaderboard/suites.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "measure/speedup.h"

namespace kgrade {
namespace {

using ProblemKey = std::pair<std::string, Dtype>;
// By solution and problem the newest result.
using Newest = std::map<std::string, std::map<ProblemKey, const Record*>>;

ProblemKey problem_of(const Record& record) { return {record.problem_slug, record.dtype}; }

std::map<std::string, Newest> newest_by_device(const std::vector<Record>& records) {
  std::map<std::string, Newest> devices;
  for (const Record& record : records) {
    if (!record.device.measures_speed) continue;
    const std::string solution = std::filesystem::path(record.candidate().path).stem().string();
    const Record*& newest = devices[record.device.name][solution][problem_of(record)];
    const auto order = [](const Record& e) {
      return std::tie(e.started_at, e.candidate().path, e.candidate().sha256);
    };
    if (newest == nullptr || order(*newest) < order(record)) newest = &record;
  }
  return devices;
}

const Score* score_in(const Record& record, Precision precision, std::string_view against) {
  if (record.candidate().verdict != Verdict::accepted || record.candidate().precision != precision)
    return nullptr;
  return score_against(record, against);
}

std::set<ProblemKey> problems_of(const Newest& newest, Precision precision, std::string_view against) {
  std::set<ProblemKey> problems;
  for (const auto& [solution, by_problem] : newest) {
    for (const auto& [problem, record] : by_problem) {
      const bool counts = against == against_reference ? precision <= record->required_precision
                                                       : score_in(*record, precision, against) != nullptr;
      if (counts) problems.insert(problem);
    }
  }
  return problems;
}

SuiteRow row_of(const std::string& solution, const std::map<ProblemKey, const Record*>& by_problem,
                const std::set<ProblemKey>& problems, Precision precision, std::string_view against) {
  SuiteRow row;
  row.solution = solution;
  std::vector<SpeedRatio> ratios;
  std::vector<std::optional<double>> speedups;
  for (const ProblemKey& problem : problems) {
    const auto found = by_problem.find(problem);
    const Score* score = found == by_problem.end() ? nullptr : score_in(*found->second, precision, against);
    speedups.push_back(score == nullptr ? std::nullopt : std::optional(score->speedup.geometric_mean));
    if (score == nullptr) continue;
    SpeedRatio ratio;
    ratio.ratio = score->speedup.geometric_mean;
    ratio.interval = score->speedup.interval;
    ratios.push_back(ratio);
    row.speedups.push_back(ratio.ratio);
  }
  row.accepted = ratios.size();
  row.score = suite_score(ratios);
  std::sort(row.speedups.rbegin(), row.speedups.rend());
  for (const double p : fast_p_thresholds) row.fast_p[p] = fast_p(speedups, p);
  return row;
}

void sort_rows(std::vector<SuiteRow>& rows) {
  const auto key = [](const SuiteRow& row) {
    return std::tuple(-row.fast_p.at(1), -static_cast<double>(row.accepted), -row.score.geometric_mean,
                      std::string_view(row.solution));
  };
  std::sort(rows.begin(), rows.end(),
            [&key](const SuiteRow& a, const SuiteRow& b) { return key(a) < key(b); });
}

Suite suite_of(const std::string& device, const Newest& newest, Precision precision,
               std::string_view against) {
  Suite suite;
  suite.device = device;
  suite.precision = precision;
  suite.against = against;
  const std::set<ProblemKey> problems = problems_of(newest, precision, against);
  suite.problems = problems.size();
  for (const auto& [solution, by_problem] : newest) {
    SuiteRow row = row_of(solution, by_problem, problems, precision, against);
    if (row.accepted > 0) suite.rows.push_back(std::move(row));
  }
  sort_rows(suite.rows);
  return suite;
}

}  // namespace

std::vector<Suite> suites_of(const std::vector<Record>& records) {
  std::vector<Suite> suites;
  for (const auto& [device, newest] : newest_by_device(records)) {
    for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
      for (const std::string_view against : {against_reference, against_baseline}) {
        Suite suite = suite_of(device, newest, precision, against);
        if (!suite.rows.empty()) suites.push_back(std::move(suite));
      }
    }
  }
  return suites;
}

}  // namespace kgrade
