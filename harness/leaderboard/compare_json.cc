#include "leaderboard/compare_json.h"

#include "record/run_json.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Record& record) {
  return {{"candidate", record.candidate().path},
          {"sha256", record.candidate().sha256},
          {"verdict", to_string(record.candidate().verdict)},
          {"message", record.candidate().message},
          {"precision", to_string(record.candidate().precision)},
          {"measured_at", record.started_at},
          {"effort", to_string(record.effort)},
          {"tool_version", record.tool.version},
          {"file", record.read_from.file},
          {"line", record.read_from.line > 0 ? Json(record.read_from.line) : Json(nullptr)}};
}

Json contest_json(const Record& record) {
  return {{"problem", record.problem_slug},
          {"dtype", to_string(record.dtype)},
          {"device", record.device.name},
          {"times_are_speed", record.device.measures_speed}};
}

Json ratio_json(const SpeedRatio& ratio) {
  return {{"ratio", ratio.ratio},
          {"interval", ratio.interval ? json_of(*ratio.interval) : Json(nullptr)},
          {"half_width", value_or_null(ratio.half_width())},
          {"statement", to_string(ratio.statement())}};
}

Json speed_json(const ComparedPair& pair) {
  if (!pair.speed) return nullptr;
  Json speed = ratio_json(*pair.speed);
  speed["cases"] = Json::array();
  for (const ComparedCase& c : pair.cases) {
    Json one = {{"name", c.name}};
    one.update(ratio_json(c.ratio));
    speed["cases"].push_back(one);
  }
  return speed;
}

Json pair_json(const ComparedPair& pair) {
  Json json = contest_json(pair.after);
  json["before"] = json_of(pair.before);
  json["after"] = json_of(pair.after);
  json["verdict_change"] = to_string(pair.change);
  json["speed"] = speed_json(pair);
  json["no_speed"] = pair.no_speed;
  return json;
}

Json only_json(const std::vector<Record>& records) {
  Json array = Json::array();
  for (const Record& record : records) {
    Json one = contest_json(record);
    one.update(json_of(record));
    array.push_back(one);
  }
  return array;
}

Json suite_json(const SuiteScore& suite) {
  if (suite.count == 0) return nullptr;
  Json json = ratio_json({suite.geometric_mean, suite.interval, Method::across_processes, suite.count});
  json["pairs"] = suite.count;
  return json;
}

Json counts_json(const ComparedRecords& comparison) {
  Json counts = {{"pairs", comparison.pairs.size()}};
  for (const Statement s : {Statement::faster, Statement::slower, Statement::same, Statement::inconclusive})
    counts[std::string(to_string(s))] = count_of(comparison, s);
  counts["no_longer_accepted"] = count_of(comparison, VerdictChange::regression);
  counts["lower_class"] = count_of(comparison, VerdictChange::lower_class);
  counts["missing"] = count_of_missing(comparison);
  counts["now_accepted"] = count_of(comparison, VerdictChange::improvement);
  counts["superseded"] = comparison.superseded;
  return counts;
}

void add_unfinished(const Errors& files, const char* side, Json& array) {
  for (const Error& error : files)
    array.push_back({{"side", side}, {"file", error.location.file}, {"line", error.location.line}});
}

Json unfinished_json(const ComparedRecords& comparison) {
  Json array = Json::array();
  add_unfinished(comparison.unfinished_before, "before", array);
  add_unfinished(comparison.unfinished_after, "after", array);
  return array;
}

}  // namespace

Json to_json(const ComparedRecords& comparison) {
  Json pairs = Json::array();
  for (const ComparedPair& pair : comparison.pairs) pairs.push_back(pair_json(pair));
  return {{"schema", "kgrade-compare"},
          {"schema_version", compare_schema_version},
          {"pairs", pairs},
          {"removed", only_json(comparison.removed)},
          {"added", only_json(comparison.added)},
          {"unfinished", unfinished_json(comparison)},
          {"suite", suite_json(comparison.suite)},
          {"counts", counts_json(comparison)}};
}

std::string to_text(const ComparedRecords& comparison) {
  return to_json(comparison).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
