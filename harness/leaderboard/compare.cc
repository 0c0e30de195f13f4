#include "leaderboard/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "measure/suite_score.h"

namespace kgrade {
namespace {

// What a result has to have in common with another to be compared with it.
using Contest = std::tuple<std::string, Dtype, std::string>;
using Name = std::pair<Contest, std::string>;

Contest contest_of(const Entry& entry) {
  return {entry.slug, entry.dtype, std::string(entry.device_model())};
}
std::string normal_path(const Entry& entry) {
  return std::filesystem::path(entry.path).lexically_normal().generic_string();
}
std::string file_name(const Entry& entry) { return std::filesystem::path(entry.path).filename().string(); }

bool is_before(const Entry& a, const Entry& b) {
  return std::tuple(contest_of(a), normal_path(a)) < std::tuple(contest_of(b), normal_path(b));
}

// In order, each candidate once.
std::vector<Entry> newest_of(std::vector<Entry> entries, std::size_t& superseded) {
  std::map<Name, Entry> newest;
  for (Entry& entry : entries) {
    const auto [place, is_new] = newest.try_emplace({contest_of(entry), normal_path(entry)}, entry);
    if (is_new) continue;
    ++superseded;
    if (entry.started_at >= place->second.started_at) place->second = std::move(entry);
  }
  std::vector<Entry> result;
  for (auto& [name, entry] : newest) result.push_back(std::move(entry));
  return result;
}

// Takes those pairs of which `name` is the same, and on neither side another's.
void take_pairs(std::vector<Entry>& before, std::vector<Entry>& after, std::string (*name)(const Entry&),
                std::vector<ComparedPair>& pairs) {
  std::map<Name, std::array<std::vector<std::size_t>, 2>> places;
  for (std::size_t i = 0; i < before.size(); ++i)
    places[{contest_of(before[i]), name(before[i])}][0].push_back(i);
  for (std::size_t i = 0; i < after.size(); ++i)
    places[{contest_of(after[i]), name(after[i])}][1].push_back(i);
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
  std::erase_if(before, [&](const Entry&) { return taken[0][i++]; });
  std::erase_if(after, [&](const Entry&) { return taken[1][j++]; });
}

VerdictChange change_of(const Entry& before, const Entry& after) {
  const bool both_accepted = before.verdict == Verdict::accepted && after.verdict == Verdict::accepted;
  if (both_accepted && before.precision < after.precision) return VerdictChange::lower_class;
  if (before.verdict == after.verdict) return VerdictChange::none;
  if (before.verdict == Verdict::accepted) return VerdictChange::regression;
  return after.verdict == Verdict::accepted ? VerdictChange::improvement : VerdictChange::other;
}

const SpeedRatio* against_reference(const EntryCase& c) {
  for (const SpeedComparison& comparison : c.comparisons) {
    if (comparison.against == "reference") return &comparison.ratio;
  }
  return nullptr;
}

std::map<std::string, const EntryCase*> cases_by_name(const Entry& entry) {
  std::map<std::string, const EntryCase*> cases;
  for (const EntryCase& c : entry.cases) cases[c.name] = &c;
  return cases;
}

// Empty where they can be.
std::string why_not_compared(const Entry& before, const Entry& after) {
  if (!before.times_are_speed || !after.times_are_speed) return "times of this device are no speed";
  if (before.verdict != Verdict::accepted || after.verdict != Verdict::accepted) return "not accepted";
  if (before.problem_sha256 != after.problem_sha256) return "the problem's file has changed";
  if (before.reference_sha256.empty() || after.reference_sha256.empty())
    return "the reference that was measured is not known";
  if (before.reference_sha256 != after.reference_sha256) return "measured against another reference";
  if (before.precision != after.precision) {
    return fmt::format("answers of another class: {}, before {}", to_string(after.precision),
                       to_string(before.precision));
  }
  if (before.cases.empty() || after.cases.empty()) return "no speed was measured";
  // Older records do not say.
  const bool said = !before.cache.empty() && !after.cache.empty();
  if (said && before.cache != after.cache) return "one with a cold, one with a warm cache";
  return "";
}

std::string why_other_case(const EntryCase& before, const EntryCase& after) {
  const bool same_work = before.flops == after.flops && before.tensor_bytes == after.tensor_bytes;
  if (!same_work) return fmt::format("case '{}' has other shapes", after.name);
  if (against_reference(before) && against_reference(after)) return "";
  return fmt::format("case '{}' was not measured against the reference", after.name);
}

void compare_cases(ComparedPair& pair) {
  const auto before = cases_by_name(pair.before);
  const auto after = cases_by_name(pair.after);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::equal(before.begin(), before.end(), after.begin(), after.end(), same_name)) {
    pair.no_speed = "other cases were measured";
    return;
  }
  for (const auto& [name, then] : before) {
    const EntryCase& now = *after.at(name);
    pair.no_speed = why_other_case(*then, now);
    if (!pair.no_speed.empty()) return;
    pair.cases.push_back({name, ratio_of_speedups(*against_reference(*then), *against_reference(now))});
  }
}

SpeedRatio ratio_over(const std::vector<ComparedCase>& cases) {
  if (cases.size() == 1) return cases.front().ratio;
  std::vector<SpeedRatio> ratios;
  for (const ComparedCase& c : cases) ratios.push_back(c.ratio);
  const SuiteScore score = suite_score(ratios);
  return {score.geometric_mean, score.interval, Method::across_processes, 2};
}

void finish(ComparedPair& pair) {
  pair.change = change_of(pair.before, pair.after);
  pair.no_speed = why_not_compared(pair.before, pair.after);
  if (pair.no_speed.empty()) compare_cases(pair);
  if (pair.no_speed.empty()) {
    pair.speed = ratio_over(pair.cases);
  } else {
    pair.cases.clear();
  }
}

SuiteScore suite_of(const std::vector<ComparedPair>& pairs) {
  std::vector<SpeedRatio> ratios;
  for (const ComparedPair& pair : pairs) {
    if (pair.speed) ratios.push_back(*pair.speed);
  }
  return suite_score(ratios);
}

double square(double value) { return value * value; }

std::string any_name(const Entry&) { return ""; }

template <class Predicate>
std::size_t count_of_pairs(const EntriesComparison& comparison, Predicate predicate) {
  return static_cast<std::size_t>(std::count_if(comparison.pairs.begin(), comparison.pairs.end(), predicate));
}

}  // namespace

std::string_view to_string(VerdictChange change) {
  constexpr std::array<std::string_view, 5> names = {"none", "regression", "improvement", "other",
                                                     "lower_class"};
  return names[static_cast<std::size_t>(change)];
}

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

EntriesComparison compare_entries(std::vector<Entry> before, std::vector<Entry> after) {
  EntriesComparison comparison;
  before = newest_of(std::move(before), comparison.superseded);
  after = newest_of(std::move(after), comparison.superseded);
  const bool direct = before.size() == 1 && after.size() == 1;
  take_pairs(before, after, normal_path, comparison.pairs);
  take_pairs(before, after, file_name, comparison.pairs);
  if (direct) take_pairs(before, after, any_name, comparison.pairs);
  std::sort(comparison.pairs.begin(), comparison.pairs.end(),
            [](const ComparedPair& a, const ComparedPair& b) { return is_before(a.after, b.after); });
  for (ComparedPair& pair : comparison.pairs) finish(pair);
  comparison.removed = std::move(before);
  comparison.added = std::move(after);
  comparison.suite = suite_of(comparison.pairs);
  return comparison;
}

EntriesComparison compare_results(EntriesRead before, EntriesRead after) {
  EntriesComparison comparison = compare_entries(std::move(before.entries), std::move(after.entries));
  comparison.unfinished_before = std::move(before.unfinished);
  comparison.unfinished_after = std::move(after.unfinished);
  return comparison;
}

std::size_t count_of(const EntriesComparison& comparison, Statement statement) {
  return count_of_pairs(comparison, [&](const ComparedPair& pair) {
    return pair.speed && pair.speed->statement() == statement;
  });
}

std::size_t count_of_suspects(const EntriesComparison& comparison) {
  return count_of_pairs(comparison, [](const ComparedPair& pair) {
    if (!pair.speed) return false;
    const Interval point{pair.speed->ratio, pair.speed->ratio};
    return statement_of(pair.speed->interval.value_or(point)) == Statement::slower;
  });
}

std::size_t count_of(const EntriesComparison& comparison, VerdictChange change) {
  return count_of_pairs(comparison, [&](const ComparedPair& pair) { return pair.change == change; });
}

std::size_t count_of_missing(const EntriesComparison& comparison) {
  return static_cast<std::size_t>(
      std::count_if(comparison.removed.begin(), comparison.removed.end(),
                    [](const Entry& entry) { return entry.verdict == Verdict::accepted; }));
}

std::size_t count_of_incomparable(const EntriesComparison& comparison) {
  return count_of_pairs(comparison, [](const ComparedPair& pair) {
    return pair.change == VerdictChange::none && pair.after.verdict == Verdict::accepted &&
           pair.before.times_are_speed && pair.after.times_are_speed && !pair.speed;
  });
}

bool loses_accepted(const EntriesComparison& comparison) {
  return count_of(comparison, VerdictChange::regression) > 0 ||
         count_of(comparison, VerdictChange::lower_class) > 0 || count_of_missing(comparison) > 0 ||
         !comparison.unfinished_before.empty() || !comparison.unfinished_after.empty();
}

}  // namespace kgrade
