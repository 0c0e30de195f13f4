#include "measure/speedup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

namespace kgrade {
namespace {

constexpr std::string_view offset_measured_on = "NVIDIA H200";
constexpr const char* reference_name = "reference";

// The half-width of a normal distribution's two-sided interval, in standard deviations.
double normal_half_width() { return normal_quantile((1 + confidence_level) / 2); }

std::optional<Interval> ratios_from(const std::optional<Interval>& logs) {
  if (!logs) return std::nullopt;
  return Interval{std::exp(logs->low), std::exp(logs->high)};
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double square(double value) { return value * value; }

// Whether the offsets and the processes' own intervals explain the differences between processes. True for a
// single process.
bool are_alike(const std::vector<SpeedRatio>& processes, const std::vector<double>& estimates,
               double offset_log) {
  // The 99 % quantiles of chi-square for one degree of freedom and more.
  constexpr std::array<double, 3> bounds = {6.635, 9.210, 11.345};
  if (processes.size() == 1) return true;
  if (processes.size() > bounds.size() + 1) return false;
  double explained = square(offset_log);
  double spread = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto half_width = processes[i].half_width();
    if (!half_width) return false;
    const double own = std::log1p(*half_width) / normal_half_width();
    explained += square(own) / static_cast<double>(processes.size());
    spread += square(estimates[i] - mean(estimates));
  }
  return spread <= bounds[processes.size() - 2] * explained;
}

// An arm of a measured case.
struct Side {
  const CaseRecord& record;
  std::size_t arm;

  double median() const { return record.arms[arm].summary.median; }
  const Measurement& measurement() const { return *record.measurement; }
};

Side candidate_of(const CaseRecord& record) { return {record, record.arms.size() - 1}; }

// The standard deviation, from process to process, of the log ratio of two arms; 0 if nothing was measured.
double offset_of(const Side& side, const Side& other) {
  const double one = side.median();
  const double two = other.median();
  return one > 0 && two > 0 ? offset_of_log_ratio(side.measurement().process_offset_ms, one, two) : 0;
}

// The ratio of two arms of the same blocks.
SpeedRatio ratio_of(const Side& side, const Side& other) {
  std::vector<SpeedRatio> within;
  std::vector<double> estimates;
  for (std::size_t i = 0; i < side.measurement().processes.size(); ++i) {
    const std::vector<double> differences = log_differences(
        side.measurement().processes[i].blocks, side.arm, other.measurement().processes[i].blocks, other.arm);
    if (differences.empty()) continue;
    within.push_back(ratio_within(differences));
    estimates.push_back(std::log(within.back().ratio));
  }
  if (side.measurement().goal.processes > 1) return ratio_across(estimates);
  return ratio_pooled(within, offset_of(side, other));
}

bool are_in_same_blocks(const CaseRecord& one, const CaseRecord& other) {
  if (one.speedups.empty() || other.speedups.empty()) return false;
  const auto same_group = [](const ProcessBlocks& a, const ProcessBlocks& b) { return a.group == b.group; };
  return std::equal(one.measurement->processes.begin(), one.measurement->processes.end(),
                    other.measurement->processes.begin(), other.measurement->processes.end(), same_group);
}

std::vector<Speedup> speedups_beside(const CaseRecord& record, bool others) {
  std::vector<Speedup> speedups;
  const Side candidate = candidate_of(record);
  for (std::size_t arm = 0; arm < candidate.arm; ++arm) {
    if (record.arms[arm].is_beside == others)
      speedups.push_back({record.arms[arm].name, ratio_of({record, arm}, candidate)});
  }
  return speedups;
}

// The weighted mean of value(ratio) over the ratios; 0 if there are none.
template <class Value>
double weighted_mean(const std::vector<SpeedRatio>& ratios, Value value) {
  double sum = 0;
  double weights = 0;
  for (const SpeedRatio& ratio : ratios) {
    sum += ratio.weight * value(ratio);
    weights += ratio.weight;
  }
  return weights > 0 ? sum / weights : 0;
}

std::optional<Interval> score_interval(const std::vector<SpeedRatio>& ratios, double centre) {
  if (ratios.empty()) return std::nullopt;
  double squares = 0;
  double weights = 0;
  for (const SpeedRatio& ratio : ratios) {
    if (!ratio.interval) return std::nullopt;
    squares += square(ratio.weight * std::log(ratio.interval->high / ratio.interval->low) / 2);
    weights += ratio.weight;
  }
  const double factor = std::exp(std::sqrt(squares) / weights);
  return Interval{centre / factor, centre * factor};
}

// The values of p that KernelBench reports most.
constexpr double fast_at[] = {1, 1.5, 2};

Score score_of(const std::string& against, const std::vector<SpeedRatio>& ratios) {
  Score score{against, suite_score(ratios)};
  for (const double p : fast_at)
    score.fast[p] =
        weighted_mean(ratios, [p](const SpeedRatio& ratio) { return ratio.ratio > p ? 1.0 : 0.0; });
  return score;
}

// The ratio of a case, with its weight.
SpeedRatio weighted(const CaseRecord& c, SpeedRatio ratio) {
  ratio.weight = c.weight;
  return ratio;
}

}  // namespace

std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm, std::size_t other) {
  return log_differences(blocks, arm, blocks, other);
}

std::vector<double> log_differences(std::span<const Block> blocks, std::size_t arm,
                                    std::span<const Block> other_blocks, std::size_t other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(blocks.size(), other_blocks.size()); ++i) {
    if (!blocks[i].voided.empty() || !other_blocks[i].voided.empty()) continue;
    for (std::size_t round = 0; round < 2; ++round) {
      differences.push_back(std::log(blocks[i].samples[arm][round].counted_ms()) -
                            std::log(other_blocks[i].samples[other][round].counted_ms()));
    }
  }
  return differences;
}

SpeedRatio ratio_within(const std::vector<double>& log_differences) {
  std::vector<double> blocks;
  for (std::size_t i = 0; i + 1 < log_differences.size(); i += 2)
    blocks.push_back((log_differences[i] + log_differences[i + 1]) / 2);
  std::optional<Interval> interval;
  if (blocks.size() >= fewest_for_wilcoxon) {
    interval = wilcoxon_interval(blocks);
  } else if (blocks.size() >= fewest_for_interval) {
    interval = student_interval(log_differences, few_blocks_confidence);
  }
  return {std::exp(hodges_lehmann(blocks)), ratios_from(interval), Method::within_process, blocks.size()};
}

double offset_of_log_ratio(double offset, double one, double other) {
  return offset * std::hypot(1 / one, 1 / other);
}

int processes_wanted(const MeasuringGoal& goal, double offset_log) {
  const double of_one = normal_half_width() * offset_log / goal.half_width;
  const double needed = of_one * of_one / most_of_offset;
  const double wanted = std::ceil(std::min(needed, static_cast<double>(goal.most_processes)));
  return std::clamp(static_cast<int>(wanted), goal.processes, std::max(goal.processes, goal.most_processes));
}

double half_width_within(const MeasuringGoal& goal, double offset_log) {
  const double of_offset = normal_half_width() * offset_log;
  const double left =
      processes_wanted(goal, offset_log) * goal.half_width * goal.half_width - of_offset * of_offset;
  const double least = (1 - most_of_offset) * goal.half_width * goal.half_width;
  return left >= least ? std::min(goal.half_width, std::sqrt(left)) : goal.half_width;
}

std::optional<std::string> borrowed_offset_note(const DeviceInfo& device) {
  if (device.process_offset_ms <= 0 || device.name.starts_with(offset_measured_on)) return std::nullopt;
  return fmt::format(
      "intervals of this GPU take each process to add a constant of {:.2f} us to its launches, as measured "
      "on an {}; `kgrade selftest --fresh` shows whether it sees differences between equal short kernels",
      1e3 * device.process_offset_ms, offset_measured_on);
}

SpeedRatio ratio_pooled(const std::vector<SpeedRatio>& processes, double offset_log) {
  if (processes.empty()) return {};
  std::vector<double> estimates;
  for (const SpeedRatio& ratio : processes) estimates.push_back(std::log(ratio.ratio));
  if (!are_alike(processes, estimates, offset_log)) return ratio_across(estimates);
  const auto number = static_cast<double>(processes.size());
  const double centre = mean(estimates);
  double below = square(normal_half_width() * offset_log) * number;
  double above = below;
  for (std::size_t i = 0; i < processes.size() && processes[i].interval; ++i) {
    below += square(estimates[i] - std::log(processes[i].interval->low));
    above += square(std::log(processes[i].interval->high) - estimates[i]);
  }
  SpeedRatio pooled = processes.front();
  if (processes.size() > 1) {
    pooled.method = Method::pooled_processes;
    pooled.count = processes.size();
  }
  pooled.ratio = std::exp(centre);
  if (pooled.interval) {
    pooled.interval =
        Interval{std::exp(centre - std::sqrt(below) / number), std::exp(centre + std::sqrt(above) / number)};
  }
  return pooled;
}

SpeedRatio ratio_across(const std::vector<double>& process_estimates_log) {
  return {std::exp(mean(process_estimates_log)), ratios_from(student_interval(process_estimates_log)),
          Method::across_processes, process_estimates_log.size()};
}

std::vector<Speedup> speedups_of(const CaseRecord& record) { return speedups_beside(record, false); }

std::vector<Speedup> other_speedups_of(const CaseRecord& record) { return speedups_beside(record, true); }

std::optional<Neighbour> neighbour_of(const CandidateRecord& candidate, const CandidateRecord& other) {
  const bool are_accepted = candidate.verdict == Verdict::accepted && other.verdict == Verdict::accepted;
  if (!are_accepted || candidate.precision != other.precision) return std::nullopt;
  Neighbour neighbour{other.path, other.sha256, {}, {}};
  std::vector<SpeedRatio> ratios;
  for (std::size_t i = 0; i < candidate.cases.size(); ++i) {
    const CaseRecord& own = candidate.cases[i];
    const CaseRecord& theirs = other.cases.at(i);
    if (own.speedups.empty() && theirs.speedups.empty()) continue;
    if (!are_in_same_blocks(own, theirs)) return std::nullopt;
    const SpeedRatio ratio = ratio_of(candidate_of(theirs), candidate_of(own));
    if (ratio.count == 0) return std::nullopt;
    neighbour.cases.push_back({own.name, ratio});
    ratios.push_back(weighted(own, ratio));
  }
  if (ratios.empty()) return std::nullopt;
  neighbour.speedup = suite_score(ratios);
  return neighbour;
}

int processes_wanted(const CaseRecord& record) {
  if (!record.measurement) return 1;
  const Side candidate = candidate_of(record);
  double offset = 0;
  for (std::size_t arm = 0; arm < candidate.arm; ++arm) {
    if (!record.arms[arm].is_beside) offset = std::max(offset, offset_of({record, arm}, candidate));
  }
  return processes_wanted(record.measurement->goal, offset);
}

SuiteScore suite_score(const std::vector<SpeedRatio>& ratios) {
  const double log_mean =
      weighted_mean(ratios, [](const SpeedRatio& ratio) { return std::log(ratio.ratio); });
  const double centre = ratios.empty() ? 0 : std::exp(log_mean);
  return {centre, score_interval(ratios, centre), ratios.size()};
}

double fast_p(const std::vector<std::optional<double>>& speedups, double p) {
  if (speedups.empty()) return 0;
  const auto fast = [p](const std::optional<double>& speedup) { return speedup && *speedup > p; };
  return static_cast<double>(std::count_if(speedups.begin(), speedups.end(), fast)) /
         static_cast<double>(speedups.size());
}

std::vector<Score> scores_of(const std::vector<CaseRecord>& cases) {
  std::vector<SpeedRatio> references;
  std::vector<SpeedRatio> baselines;
  for (const CaseRecord& c : cases) {
    for (const Speedup& speedup : c.speedups) {
      (speedup.against == reference_name ? references : baselines).push_back(weighted(c, speedup.ratio));
    }
  }
  std::vector<Score> scores;
  if (references.empty()) return scores;
  scores.push_back(score_of(reference_name, references));
  if (baselines.size() == references.size()) scores.push_back(score_of("baseline", baselines));
  return scores;
}

std::vector<Score> scores_by_baseline(const std::vector<CaseRecord>& cases) {
  std::map<std::string, std::vector<SpeedRatio>> by_name;
  std::size_t compared = 0;
  for (const CaseRecord& c : cases) {
    if (c.speedups.empty()) continue;
    ++compared;
    for (const std::vector<Speedup>* const list : {&c.speedups, &c.others}) {
      for (const Speedup& speedup : *list) by_name[speedup.against].push_back(weighted(c, speedup.ratio));
    }
  }
  std::vector<Score> scores;
  for (const auto& [name, ratios] : by_name) {
    if (name != reference_name && ratios.size() == compared) scores.push_back(score_of(name, ratios));
  }
  return scores;
}

void keep_to_class(CandidateRecord& candidate, Precision reference) {
  if (candidate.scores.empty() || candidate.precision <= reference) return;
  candidate.by_baseline.push_back(std::move(candidate.scores.front()));
  candidate.scores.erase(candidate.scores.begin());
  if (candidate.headline() != nullptr) return;
  candidate.notes.push_back(
      fmt::format("no speedup is given: the answers are of class {0}, the reference is of class {1}, and no "
                  "baseline of class {0} was measured in every case (--baselines pytorch measures one)",
                  to_string(candidate.precision), to_string(reference)));
}

}  // namespace kgrade
