#include "leaderboard/suites.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "measure/suite_score.h"

namespace kgrade {
namespace {

using ProblemKey = std::pair<std::string, Dtype>;
// By solution and problem the newest result.
using Newest = std::map<std::string, std::map<ProblemKey, const Entry*>>;

ProblemKey problem_of(const Entry& entry) { return {entry.slug, entry.dtype}; }

std::map<std::string, Newest> newest_by_device(const std::vector<Entry>& entries) {
  std::map<std::string, Newest> devices;
  for (const Entry& entry : entries) {
    if (!entry.times_are_speed) continue;
    const std::string solution = std::filesystem::path(entry.path).stem().string();
    const Entry*& newest = devices[entry.device][solution][problem_of(entry)];
    const auto order = [](const Entry& e) { return std::tie(e.started_at, e.path, e.sha256); };
    if (newest == nullptr || order(*newest) < order(entry)) newest = &entry;
  }
  return devices;
}

const Score* score_in(const Entry& entry, Precision precision, std::string_view against) {
  if (entry.verdict != Verdict::accepted || entry.precision != precision) return nullptr;
  return score_against(entry, against);
}

std::set<ProblemKey> problems_of(const Newest& newest, Precision precision, std::string_view against) {
  std::set<ProblemKey> problems;
  for (const auto& [solution, by_problem] : newest) {
    for (const auto& [problem, entry] : by_problem) {
      const bool counts = against == against_reference ? precision <= entry->required
                                                       : score_in(*entry, precision, against) != nullptr;
      if (counts) problems.insert(problem);
    }
  }
  return problems;
}

SuiteRow row_of(const std::string& solution, const std::map<ProblemKey, const Entry*>& by_problem,
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

std::vector<Suite> suites_of(const std::vector<Entry>& entries) {
  std::vector<Suite> suites;
  for (const auto& [device, newest] : newest_by_device(entries)) {
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
