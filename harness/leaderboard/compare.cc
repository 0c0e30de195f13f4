#include "leaderboard/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

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

bool are_same_files(const Record& before, const Record& after) {
  const auto hashes = [](const Record& record) {
    return std::array{record.candidate().sha256, record.problem_sha256, record.reference.sha256};
  };
  const auto known = hashes(before);
  return known == hashes(after) && std::count(known.begin(), known.end(), "") == 0;
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

std::string any_name(const Record&) { return ""; }

template <class Predicate>
std::size_t count_of_pairs(const ComparedRecords& comparison, Predicate predicate) {
  return static_cast<std::size_t>(std::count_if(comparison.pairs.begin(), comparison.pairs.end(), predicate));
}

}  // namespace

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
