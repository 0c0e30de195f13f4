#include "measure/compared_speeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "measure/intervals.h"
#include "measure/speedup.h"
#include "record/table.h"

namespace kgrade {
namespace {

// With more candidates than this, each is compared only with the fastest.
constexpr std::size_t most_for_each_pair = 3;

const SpeedRatio* ratio_to_reference(const CaseRecord& c) {
  for (const Speedup& speedup : c.speedups) {
    if (speedup.against == "reference") return &speedup.ratio;
  }
  return nullptr;
}

std::map<std::string, const CaseRecord*> cases_by_name(const Record& record) {
  std::map<std::string, const CaseRecord*> cases;
  for (const CaseRecord* c : compared_cases(record.candidate())) cases[c->name] = c;
  return cases;
}

// The reason why the speeds of two records cannot be compared. Empty if they can.
std::string why_not_compared(const Record& before, const Record& after) {
  if (!are_on_one_model(before, after))
    return fmt::format("other device: not compared ({}, before {})", after.device.name, before.device.name);
  if (!before.device.measures_speed || !after.device.measures_speed)
    return "times of this device do not measure speed";
  if (before.candidate().verdict != Verdict::accepted || after.candidate().verdict != Verdict::accepted)
    return "not accepted";
  if (before.problem_sha256 != after.problem_sha256) return "the problem's file has changed";
  if (before.reference.sha256.empty() || after.reference.sha256.empty())
    return "the reference that was measured is not known";
  if (before.reference.sha256 != after.reference.sha256) return "measured against another reference";
  if (before.candidate().precision != after.candidate().precision) {
    return fmt::format("answers of another class: {}, before {}", to_string(after.candidate().precision),
                       to_string(before.candidate().precision));
  }
  if (compared_cases(before.candidate()).empty() || compared_cases(after.candidate()).empty())
    return "no speed was measured";
  // Older records do not contain the state of the cache.
  const std::string cache_before = cache_text(before.candidate());
  const std::string cache_after = cache_text(after.candidate());
  const bool said = !cache_before.empty() && !cache_after.empty();
  if (said && cache_before != cache_after) return "one with a cold, one with a warm cache";
  return "";
}

std::string why_other_case(const CaseRecord& before, const CaseRecord& after) {
  const bool same_work = before.flops == after.flops && before.tensor_bytes == after.tensor_bytes;
  if (!same_work) return fmt::format("case '{}' has other shapes", after.name);
  if (ratio_to_reference(before) && ratio_to_reference(after)) return "";
  return fmt::format("case '{}' was not measured against the reference", after.name);
}

bool are_on_one_device(const DeviceInfo& before, const DeviceInfo& after) {
  return !before.uuid.empty() && before.uuid == after.uuid;
}

void compare_cases(const Record& one, const Record& other, ComparedSpeeds& speeds) {
  const auto before = cases_by_name(one);
  const auto after = cases_by_name(other);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::equal(before.begin(), before.end(), after.begin(), after.end(), same_name)) {
    speeds.no_speed = "other cases were measured";
    return;
  }
  for (const auto& [name, then] : before) {
    const CaseRecord& now = *after.at(name);
    speeds.no_speed = why_other_case(*then, now);
    if (!speeds.no_speed.empty()) return;
    SpeedRatio ratio = ratio_of_speedups(*ratio_to_reference(*then), *ratio_to_reference(now));
    ratio.weight = now.weight;
    speeds.cases.push_back({name, speeds.other_device ? across_devices(ratio) : ratio});
  }
}

SpeedRatio ratio_over(const std::vector<ComparedCase>& cases) {
  if (cases.size() == 1) {
    // The weight belongs to the case within its problem, not to the problem.
    SpeedRatio only = cases.front().ratio;
    only.weight = 1;
    return only;
  }
  std::vector<SpeedRatio> ratios;
  for (const ComparedCase& c : cases) ratios.push_back(c.ratio);
  const SuiteScore score = suite_score(ratios);
  return {score.geometric_mean, score.interval, Method::across_processes, 2};
}

double squared(double value) { return value * value; }

// A text that other texts stand beside must be one line.
std::string one_line(const std::string& text) { return replace_all(printable(text), "\n", " "); }

std::string precise_text(double ratio, const std::optional<Interval>& interval) {
  if (!interval || ratio >= 100 || ratio < 0.01) return ratio_text(ratio);
  const double width = std::log(interval->high / interval->low) / 2;
  return fmt::format("{:.{}f}x", ratio, width < 0.003 ? 4 : width < 0.03 ? 3 : 2);
}

std::string sentence_of(Statement statement, const std::string& one, const std::string& other) {
  switch (statement) {
    case Statement::same:
      return fmt::format("{} has the same speed as {}", one, other);
    case Statement::inconclusive:
      return fmt::format("whether {} is faster than {} is inconclusive", one, other);
    case Statement::faster:
    case Statement::slower:
      break;
  }
  return fmt::format("{} is {} than {}", one, to_string(statement), other);
}

// Names the faster candidate first. Empty if the speeds cannot be compared.
std::string sentence_on(const Record& one, const Record& other) {
  const Record* first = &one;
  const Record* second = &other;
  ComparedSpeeds speeds = compare_speeds(other, one);
  if (speeds.speed && speeds.speed->ratio < 1) {
    std::swap(first, second);
    speeds = compare_speeds(one, other);
  }
  if (!speeds.speed) return "";
  const std::string interval =
      speeds.speed->interval ? fmt::format(" ({})", precise_interval_text(*speeds.speed)) : "";
  return fmt::format("{}: {}{}, {}\n",
                     sentence_of(speeds.speed->statement(), one_line(first->candidate().path),
                                 one_line(second->candidate().path)),
                     precise_ratio_text(*speeds.speed), interval,
                     speeds.in_same_blocks ? in_the_same_blocks : "by their speedups over the reference");
}

// The score by which candidates of one class are compared, whatever the class of the reference.
const Score* over_reference(const CandidateRecord& candidate) {
  for (const std::vector<Score>* const scores : {&candidate.scores, &candidate.by_baseline}) {
    for (const Score& score : *scores) {
      if (score.against == against_reference) return &score;
    }
  }
  return nullptr;
}

}  // namespace

bool are_on_one_model(const Record& before, const Record& after) {
  return device_model(before.device) == device_model(after.device);
}

SpeedRatio ratio_of_speedups(const SpeedRatio& before, const SpeedRatio& after) {
  SpeedRatio ratio{after.ratio / before.ratio, std::nullopt, Method::across_processes, 2};
  if (!before.interval || !after.interval) return ratio;
  const double below = std::sqrt(squared(std::log(after.ratio / after.interval->low)) +
                                 squared(std::log(before.interval->high / before.ratio)));
  const double above = std::sqrt(squared(std::log(after.interval->high / after.ratio)) +
                                 squared(std::log(before.ratio / before.interval->low)));
  ratio.interval = Interval{ratio.ratio * std::exp(-below), ratio.ratio * std::exp(above)};
  return ratio;
}

SpeedRatio across_devices(SpeedRatio ratio) {
  if (!ratio.interval) return ratio;
  const double offset = normal_quantile((1 + confidence_level) / 2) * device_offset_of_log_ratio;
  const double below = std::hypot(std::log(ratio.ratio / ratio.interval->low), offset);
  const double above = std::hypot(std::log(ratio.interval->high / ratio.ratio), offset);
  ratio.interval = Interval{ratio.ratio * std::exp(-below), ratio.ratio * std::exp(above)};
  return ratio;
}

ComparedSpeeds compare_speeds(const Record& before, const Record& after) {
  ComparedSpeeds speeds;
  speeds.other_device = before.device.measures_speed && after.device.measures_speed &&
                        !are_on_one_device(before.device, after.device);
  speeds.no_speed = why_not_compared(before, after);
  if (!speeds.no_speed.empty()) return speeds;
  if (const Neighbour* const neighbour = neighbour_in(after, before)) {
    const SuiteScore& score = neighbour->speedup;
    speeds.in_same_blocks = true;
    speeds.other_device = false;
    speeds.speed = {score.geometric_mean, score.interval, Method::within_process, score.count};
    speeds.cases = neighbour->cases;
    return speeds;
  }
  compare_cases(before, after, speeds);
  if (speeds.no_speed.empty()) {
    speeds.speed = ratio_over(speeds.cases);
  } else {
    speeds.cases.clear();
  }
  return speeds;
}

std::string precise_ratio_text(const SpeedRatio& ratio) { return precise_text(ratio.ratio, ratio.interval); }

std::string precise_interval_text(const SpeedRatio& ratio) {
  if (!ratio.interval) return "";
  return fmt::format("{} to {}", precise_text(ratio.interval->low, ratio.interval),
                     precise_text(ratio.interval->high, ratio.interval));
}

std::string candidates_text(const Record& record) {
  // Compare within a class only. Modules keep their weights, so they are not compared with others.
  std::map<std::pair<Precision, bool>, std::vector<Record>> classes;
  for (Record& one : one_a_candidate(record)) {
    const CandidateRecord& candidate = one.candidate();
    if (over_reference(candidate) != nullptr)
      classes[{candidate.precision, candidate.is_module()}].push_back(std::move(one));
  }
  std::string text;
  for (auto& [name, records] : classes) {
    const auto speed = [](const Record& r) { return over_reference(r.candidate())->speedup.geometric_mean; };
    std::stable_sort(records.begin(), records.end(),
                     [&](const Record& a, const Record& b) { return speed(a) > speed(b); });
    const std::size_t compared = records.size() > most_for_each_pair ? 1 : records.size();
    for (std::size_t i = 0; i < compared; ++i) {
      for (std::size_t j = i + 1; j < records.size(); ++j) text += sentence_on(records[i], records[j]);
    }
  }
  return text;
}

}  // namespace kgrade
