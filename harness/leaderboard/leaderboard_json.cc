#include "leaderboard/leaderboard_json.h"

#include <fmt/format.h>

#include "record/json_parts.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? json_of(*interval) : Json(nullptr);
}

Json scores_json(const Record& record) {
  Json scores = Json::array();
  for (const Score& score : record.candidate().scores) {
    scores.push_back({{"against", score.against},
                      {"speedup", score.speedup.geometric_mean},
                      {"interval", interval_json(score.speedup.interval)},
                      {"statement", to_string(statement_of(score.speedup.interval))}});
  }
  return scores;
}

Json case_json(const CaseRecord& c) {
  Json comparisons = Json::array();
  for (const Speedup& speedup : c.speedups) {
    comparisons.push_back({{"against", speedup.against},
                           {"speedup", speedup.ratio.ratio},
                           {"interval", interval_json(speedup.ratio.interval)}});
  }
  return {{"name", c.name},
          {"median_ms", c.candidate().summary.median},
          {"flops", value_or_null(c.flops)},
          {"bytes", c.tensor_bytes},
          {"comparisons", comparisons},
          {"roofline_share", c.roofline ? Json(c.roofline->shares.back()) : Json(nullptr)},
          {"bound_by", c.roofline ? Json(to_string(c.roofline->floor.bound_by())) : Json(nullptr)}};
}

// `result` is its number among the row's, the oldest first.
Json result_json(const LeaderboardRow& row, std::size_t result) {
  const Record& record = result < row.earlier.size() ? row.earlier[result] : row.newest;
  return {{"measured_at", record.started_at},
          {"sha256", record.candidate().sha256},
          {"new_version", row.changed_before(result)},
          {"precision", to_string(record.candidate().precision)},
          {"file", record.read_from.file},
          {"tool_version", record.tool.version},
          {"git_commit", record.tool.git_commit},
          {"problem_sha256", record.problem_sha256},
          {"reference_sha256", record.reference.sha256},
          {"effort", to_string(record.effort)},
          {"cache",
           cache_text(record.candidate()).empty() ? Json(nullptr) : Json(cache_text(record.candidate()))},
          {"verdict", to_string(record.candidate().verdict)},
          {"scores", scores_json(record)}};
}

Json row_json(const LeaderboardRow& row) {
  Json json = {
      {"id", row.id},
      {"candidate", row.newest.candidate().path},
      {"solution", row.solution},
      {"rank", row.rank ? Json(row.rank->best) : Json(nullptr)},
      {"rank_worst", row.rank ? Json(row.rank->worst) : Json(nullptr)},
      {"tied", row.tied},
      {"unranked_because", row.unranked_because.empty() ? Json(nullptr) : Json(row.unranked_because)},
      {"message", row.newest.candidate().message}};
  json.update(result_json(row, row.earlier.size()));
  json["cases"] = Json::array();
  for (const CaseRecord* c : compared_cases(row.newest.candidate())) json["cases"].push_back(case_json(*c));
  json["earlier"] = Json::array();
  for (std::size_t i = 0; i < row.earlier.size(); ++i) json["earlier"].push_back(result_json(row, i));
  return json;
}

Json board_json(const Board& board) {
  Json json = {{"problem", board.slug},
               {"title", board.title},
               {"dtype", to_string(board.dtype)},
               {"device", board.device},
               {"precision", to_string(board.precision)},
               {"against", board.against.empty() ? Json(nullptr) : Json(board.against)},
               {"baselines", board.baselines},
               {"cache", board.cache.empty() ? Json(nullptr) : Json(board.cache)},
               {"cases", Json::array()},
               {"rows", Json::array()}};
  for (const BoardCase& c : board.cases) {
    json["cases"].push_back({{"name", c.name}, {"flops", value_or_null(c.flops)}, {"bytes", c.bytes}});
  }
  for (const LeaderboardRow& row : board.rows) json["rows"].push_back(row_json(row));
  return json;
}

Json unmeasured_json(const LeaderboardRow& row) {
  const Record& record = row.newest;
  Json json = {{"problem", record.problem_slug},
               {"title", record.problem_title},
               {"dtype", to_string(record.dtype)},
               {"device", record.device.name},
               {"required_precision", to_string(record.required_precision)}};
  json.update(row_json(row));
  for (const char* key : {"rank", "rank_worst", "tied", "unranked_because", "cases"}) json.erase(key);
  return json;
}

Json device_json(const LeaderboardDevice& device) {
  Json ceilings = nullptr;
  if (device.ceilings) {
    ceilings = {{"copy_bytes_per_second", device.ceilings->copy_bytes_per_second},
                {"fp32_flops_per_second", device.ceilings->fp32_flops_per_second},
                {"tf32_flops_per_second", device.ceilings->tf32_flops_per_second},
                {"fp16_flops_per_second", device.ceilings->fp16_flops_per_second},
                {"bf16_flops_per_second", device.ceilings->bf16_flops_per_second},
                {"fp64_flops_per_second", device.ceilings->fp64_flops_per_second}};
  }
  return {{"name", device.name},
          {"kind", device.kind},
          {"times_are_speed", device.times_are_speed},
          {"ceilings", ceilings}};
}

Json suite_json(const Suite& suite) {
  Json json = {{"device", suite.device},
               {"precision", to_string(suite.precision)},
               {"against", suite.against},
               {"problems", suite.problems},
               {"rows", Json::array()}};
  for (const SuiteRow& row : suite.rows) {
    Json fast = Json::object();
    for (const auto& [p, share] : row.fast_p) fast[fmt::format("{}", p)] = share;
    json["rows"].push_back({{"solution", row.solution},
                            {"accepted", row.accepted},
                            {"geometric_mean", row.score.geometric_mean},
                            {"interval", interval_json(row.score.interval)},
                            {"fast_p", fast},
                            {"speedups", row.speedups}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const Leaderboard& leaderboard) {
  Json json = {{"schema", "kgrade-leaderboard"},
               {"schema_version", leaderboard_schema_version},
               {"newest", leaderboard.newest},
               {"measurements", leaderboard.measurements}};
  for (const char* key : {"devices", "boards", "unmeasured", "suites"}) json[key] = Json::array();
  for (const LeaderboardDevice& device : leaderboard.devices) json["devices"].push_back(device_json(device));
  for (const Board& board : leaderboard.boards) json["boards"].push_back(board_json(board));
  for (const LeaderboardRow& row : leaderboard.unmeasured) json["unmeasured"].push_back(unmeasured_json(row));
  for (const Suite& suite : leaderboard.suites) json["suites"].push_back(suite_json(suite));
  return json;
}

std::string to_text(const Leaderboard& leaderboard) {
  return to_json(leaderboard).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
