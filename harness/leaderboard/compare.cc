#include "leaderboard/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "measure/intervals.h"
#include "measure/speedup.h"
#include "record/ci_formats.h"

namespace kgrade {
namespace {

// Problem, element type and device model. Two results can be compared only if these are equal.
using Contest = std::tuple<std::string, Dtype, std::string>;
using Name = std::pair<Contest, std::string>;

Contest contest_of(const Record& record) {
  return {record.problem_slug, record.dtype, std::string(device_model(record.device))};
}
std::string normal_path(const Record& record) {
  return std::filesystem::path(record.candidate().path).lexically_normal().generic_string();
}
std::string file_name(const Record& record) {
  return std::filesystem::path(record.candidate().path).filename().string();
}

// The file's contents, if the record has their digest.
std::string contents(const Record& record) {
  const std::string& sha256 = record.candidate().sha256;
  return sha256.empty() ? "path " + normal_path(record) : sha256;
}

Contest contest_on_any_device(const Record& record) {
  Contest contest = contest_of(record);
  std::get<2>(contest).clear();
  return contest;
}

bool is_before(const Record& a, const Record& b) {
  return std::tuple(contest_of(a), normal_path(a)) < std::tuple(contest_of(b), normal_path(b));
}

// The newest result of each candidate, in order.
std::vector<Record> newest_of(std::vector<Record> records, std::size_t& superseded) {
  std::map<Name, Record> newest;
  for (Record& record : records) {
    const auto [place, is_new] = newest.try_emplace({contest_of(record), normal_path(record)}, record);
    if (is_new) continue;
    ++superseded;
    if (record.started_at >= place->second.started_at) place->second = std::move(record);
  }
  std::vector<Record> result;
  for (auto& [name, record] : newest) result.push_back(std::move(record));
  return result;
}

// Takes the pairs of records for which `contest` and `name` give equal values, if no other record on either
// side has the same values.
void take_pairs(std::vector<Record>& before, std::vector<Record>& after, Contest (*contest)(const Record&),
                std::string (*name)(const Record&), std::vector<ComparedPair>& pairs) {
  std::map<Name, std::array<std::vector<std::size_t>, 2>> places;
  for (std::size_t i = 0; i < before.size(); ++i)
    places[{contest(before[i]), name(before[i])}][0].push_back(i);
  for (std::size_t i = 0; i < after.size(); ++i) places[{contest(after[i]), name(after[i])}][1].push_back(i);
  std::array<std::vector<bool>, 2> taken = {std::vector<bool>(before.size()),
                                            std::vector<bool>(after.size())};
  for (const auto& [key, sides] : places) {
    if (sides[0].size() != 1 || sides[1].size() != 1) continue;
    ComparedPair pair;
    pair.before = std::move(before[sides[0][0]]);
    pair.after = std::move(after[sides[1][0]]);
    pairs.push_back(std::move(pair));
    for (std::size_t side = 0; side < 2; ++side) taken[side][sides[side][0]] = true;
  }
  std::size_t i = 0, j = 0;
  std::erase_if(before, [&](const Record&) { return taken[0][i++]; });
  std::erase_if(after, [&](const Record&) { return taken[1][j++]; });
}

VerdictChange change_of(const Record& before, const Record& after) {
  const bool both_accepted =
      before.candidate().verdict == Verdict::accepted && after.candidate().verdict == Verdict::accepted;
  if (both_accepted && before.candidate().precision < after.candidate().precision)
    return VerdictChange::lower_class;
  if (before.candidate().verdict == after.candidate().verdict) return VerdictChange::none;
  if (before.candidate().verdict == Verdict::accepted)
    return needs_a_gpu(after) ? VerdictChange::needs_gpu : VerdictChange::regression;
  return after.candidate().verdict == Verdict::accepted ? VerdictChange::improvement : VerdictChange::other;
}

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

bool are_on_one_model(const Record& before, const Record& after) {
  return device_model(before.device) == device_model(after.device);
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

bool are_same_files(const Record& before, const Record& after) {
  const auto hashes = [](const Record& record) {
    return std::array{record.candidate().sha256, record.problem_sha256, record.reference.sha256};
  };
  const auto known = hashes(before);
  return known == hashes(after) && std::count(known.begin(), known.end(), "") == 0;
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

void finish(ComparedPair& pair) {
  pair.change = change_of(pair.before, pair.after);
  pair.same_files = are_same_files(pair.before, pair.after);
  static_cast<ComparedSpeeds&>(pair) = compare_speeds(pair.before, pair.after);
}

bool may_be_slower(const ComparedPair& pair) {
  if (!pair.statement()) return false;
  SpeedRatio ratio = *pair.speed;
  if (!ratio.interval) {
    ratio.interval = Interval{ratio.ratio, ratio.ratio};
    if (pair.other_device) ratio = across_devices(ratio);
  }
  return ratio.statement() == Statement::slower;
}

SuiteScore suite_of(const std::vector<ComparedPair>& pairs) {
  std::vector<SpeedRatio> ratios;
  for (const ComparedPair& pair : pairs) {
    if (pair.statement()) ratios.push_back(*pair.speed);
  }
  return suite_score(ratios);
}

double square(double value) { return value * value; }

std::string any_name(const Record&) { return ""; }

template <class Predicate>
std::size_t count_of_pairs(const ComparedRecords& comparison, Predicate predicate) {
  return static_cast<std::size_t>(std::count_if(comparison.pairs.begin(), comparison.pairs.end(), predicate));
}

}  // namespace

SpeedRatio ratio_of_speedups(const SpeedRatio& before, const SpeedRatio& after) {
  SpeedRatio ratio{after.ratio / before.ratio, std::nullopt, Method::across_processes, 2};
  if (!before.interval || !after.interval) return ratio;
  const double below = std::sqrt(square(std::log(after.ratio / after.interval->low)) +
                                 square(std::log(before.interval->high / before.ratio)));
  const double above = std::sqrt(square(std::log(after.interval->high / after.ratio)) +
                                 square(std::log(before.ratio / before.interval->low)));
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

bool ComparedPair::is_on_other_model() const { return !are_on_one_model(before, after); }

bool ComparedPair::is_worse() const {
  return change == VerdictChange::regression || change == VerdictChange::lower_class || may_be_slower(*this);
}

std::optional<Statement> ComparedPair::statement() const {
  if (!speed || is_same_on_other_device()) return std::nullopt;
  return speed->statement();
}

ComparedRecords compare_records(std::vector<Record> before, std::vector<Record> after) {
  ComparedRecords comparison;
  before = newest_of(std::move(before), comparison.superseded);
  after = newest_of(std::move(after), comparison.superseded);
  const bool direct = before.size() == 1 && after.size() == 1;
  for (auto* const contest : {contest_of, contest_on_any_device}) {
    for (auto* const name : {normal_path, contents, file_name})
      take_pairs(before, after, contest, name, comparison.pairs);
  }
  if (direct) take_pairs(before, after, contest_of, any_name, comparison.pairs);
  std::sort(comparison.pairs.begin(), comparison.pairs.end(),
            [](const ComparedPair& a, const ComparedPair& b) { return is_before(a.after, b.after); });
  for (ComparedPair& pair : comparison.pairs) finish(pair);
  comparison.removed = std::move(before);
  comparison.added = std::move(after);
  comparison.suite = suite_of(comparison.pairs);
  return comparison;
}

ComparedRecords compare_results(RecordsRead before, RecordsRead after) {
  ComparedRecords comparison = compare_records(std::move(before.records), std::move(after.records));
  for (const RecordsRead* side : {&before, &after}) {
    comparison.skipped.insert(comparison.skipped.end(), side->unreadable.begin(), side->unreadable.end());
    comparison.skipped_count += side->unreadable_count;
  }
  comparison.unfinished_before = std::move(before.unfinished);
  comparison.unfinished_after = std::move(after.unfinished);
  return comparison;
}

std::size_t count_of(const ComparedRecords& comparison, Statement statement) {
  return count_of_pairs(comparison, [&](const ComparedPair& pair) { return pair.statement() == statement; });
}

std::size_t count_of_suspects(const ComparedRecords& comparison) {
  return count_of_pairs(comparison, may_be_slower);
}

std::size_t count_of(const ComparedRecords& comparison, VerdictChange change) {
  return count_of_pairs(comparison, [&](const ComparedPair& pair) { return pair.change == change; });
}

std::size_t count_of_missing(const ComparedRecords& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.removed.begin(), comparison.removed.end(),
                    [](const Record& record) { return record.candidate().verdict == Verdict::accepted; }));
}

std::size_t count_of_incomparable(const ComparedRecords& comparison) {
  return count_of_pairs(comparison, [](const ComparedPair& pair) {
    return pair.change == VerdictChange::none && pair.after.candidate().verdict == Verdict::accepted &&
           pair.before.device.measures_speed && pair.after.device.measures_speed && !pair.speed &&
           !pair.is_on_other_model();
  });
}

std::size_t count_of_other_models(const ComparedRecords& comparison) {
  return count_of_pairs(comparison, [](const ComparedPair& pair) {
    return pair.is_on_other_model() && pair.change == VerdictChange::none &&
           pair.after.candidate().verdict == Verdict::accepted;
  });
}

std::size_t count_of_same_files(const ComparedRecords& comparison) {
  return count_of_pairs(comparison, [](const ComparedPair& pair) { return pair.is_same_on_other_device(); });
}

bool loses_accepted(const ComparedRecords& comparison) {
  return count_of(comparison, VerdictChange::regression) > 0 ||
         count_of(comparison, VerdictChange::lower_class) > 0 || count_of_missing(comparison) > 0 ||
         !comparison.unfinished_before.empty() || !comparison.unfinished_after.empty() ||
         comparison.skipped_count > 0;
}

}  // namespace kgrade
