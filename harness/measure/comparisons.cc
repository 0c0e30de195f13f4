#include "measure/comparisons.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "measure/block_run.h"
#include "measure/process_offset.h"
#include "measure/roofline.h"
#include "measure/speed_ratio.h"
#include "measure/suite_score.h"

namespace kgrade {
namespace {

constexpr const char* reference_name = "reference";

// Of how the two arms of each process differ; 0 where nothing was measured.
double offset_of(const CaseRecord& record, std::size_t arm, std::size_t other) {
  const double one = record.arms[arm].summary.median;
  const double two = record.arms[other].summary.median;
  return one > 0 && two > 0 ? offset_of_log_ratio(record.measurement->process_offset_ms, one, two) : 0;
}

SpeedRatio ratio_of(const CaseRecord& record, std::size_t arm, std::size_t other) {
  const Measurement& measurement = *record.measurement;
  std::vector<SpeedRatio> within;
  std::vector<double> estimates;
  for (const ProcessBlocks& process : measurement.processes) {
    const std::vector<double> differences = log_differences(process.blocks, arm, other);
    if (differences.empty()) continue;
    within.push_back(ratio_within(differences));
    estimates.push_back(std::log(within.back().ratio));
  }
  if (measurement.goal.processes > 1) return ratio_across(estimates);
  return ratio_pooled(within, offset_of(record, arm, other));
}

}  // namespace

std::vector<Speedup> speedups_of(const CaseRecord& record) {
  std::vector<Speedup> speedups;
  const std::size_t candidate = record.arms.size() - 1;
  for (std::size_t arm = 0; arm < candidate; ++arm)
    speedups.push_back({record.arms[arm].name, ratio_of(record, arm, candidate)});
  return speedups;
}

int processes_wanted(const CaseRecord& record) {
  if (!record.measurement) return 1;
  const std::size_t candidate = record.arms.size() - 1;
  double offset = 0;
  for (std::size_t arm = 0; arm < candidate; ++arm)
    offset = std::max(offset, offset_of(record, arm, candidate));
  return processes_wanted(record.measurement->goal, offset);
}

std::optional<CaseRoofline> roofline_of(const Case& bound, const CaseRecord& record,
                                        const std::optional<Ceilings>& ceilings) {
  if (!ceilings || !record.measurement) return std::nullopt;
  const auto floor = roofline_floor(bound, *ceilings, record.precision);
  if (!floor) return std::nullopt;
  CaseRoofline roofline{*floor, {}};
  for (const Arm& arm : record.arms) roofline.shares.push_back(share(floor->ms(), arm.summary.median));
  return roofline;
}

namespace {

// Those that KernelBench reports most.
constexpr double fast_at[] = {1, 1.5, 2};

Score score_of(const std::string& against, const std::vector<SpeedRatio>& ratios) {
  std::vector<std::optional<double>> speedups;
  for (const SpeedRatio& ratio : ratios) speedups.emplace_back(ratio.ratio);
  Score score{against, suite_score(ratios)};
  for (const double p : fast_at) score.fast[p] = fast_p(speedups, p);
  return score;
}

}  // namespace

std::vector<Score> scores_of(const std::vector<CaseRecord>& cases) {
  std::vector<SpeedRatio> references;
  std::vector<SpeedRatio> baselines;
  for (const CaseRecord& c : cases) {
    for (const Speedup& speedup : c.speedups) {
      (speedup.against == reference_name ? references : baselines).push_back(speedup.ratio);
    }
  }
  std::vector<Score> scores;
  if (references.empty()) return scores;
  scores.push_back(score_of(reference_name, references));
  if (baselines.size() == references.size()) scores.push_back(score_of("baseline", baselines));
  return scores;
}

}  // namespace kgrade
