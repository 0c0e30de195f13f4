#include "leaderboard/leaderboard_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "leaderboard/leaderboard_output.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

// The rates of a device, without how they were measured.
struct WrittenRates : Ceilings {};

namespace {

constexpr FormRule row_id = {12, "^[0-9a-f]{12}$",
                             [](std::string_view text) {
                               return text.size() == 12 &&
                                      text.find_first_not_of("0123456789abcdef") == text.npos;
                             },
                             "is not of 12 hexadecimal digits"};
constexpr const char* about_modules =
    "Of modules, which prepare their weights once. They are not ranked with the others.";

WrittenCase written_case(const CaseRecord& c) {
  WrittenCase written{c.name, c.candidate().summary.median, c.flops, c.tensor_bytes, {}, {}, {}};
  for (const Speedup& speedup : c.speedups)
    written.comparisons.push_back({speedup.against, speedup.ratio.ratio, speedup.ratio.interval});
  if (c.roofline) {
    written.roofline_share = c.roofline->shares.back();
    written.bound_by = c.roofline->floor.bound_by();
  }
  return written;
}

// `result` is its number among the row's, the oldest first.
WrittenResult written_result(const LeaderboardRow& row, std::size_t result) {
  const Record& record = result < row.earlier.size() ? row.earlier[result] : row.newest;
  const CandidateRecord& candidate = record.candidate();
  WrittenResult written{record.started_at,
                        candidate.sha256,
                        row.changed_before(result),
                        candidate.precision,
                        record.device.uuid,
                        record.read_from.file,
                        record.tool.version,
                        record.tool.git_commit,
                        record.problem_sha256,
                        record.reference.sha256,
                        record.effort,
                        enum_from<CacheState>(cache_text(candidate)),
                        candidate.verdict,
                        {}};
  for (const Score& score : candidate.scores)
    written.scores.push_back({{score.against, score.speedup.geometric_mean, score.speedup.interval}});
  return written;
}

WrittenRow written_row(const LeaderboardRow& row) {
  const CandidateRecord& candidate = row.newest.candidate();
  WrittenRow written{written_result(row, row.earlier.size()),
                     row.id,
                     candidate.path,
                     row.solution,
                     row.rank,
                     row.tied,
                     {},
                     candidate.message,
                     {},
                     {}};
  if (!row.unranked_because.empty()) written.unranked_because = row.unranked_because;
  for (const CaseRecord* c : compared_cases(candidate)) written.cases.push_back(written_case(*c));
  for (std::size_t i = 0; i < row.earlier.size(); ++i) written.earlier.push_back(written_result(row, i));
  return written;
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

WrittenBoard written_board(const Board& board) {
  WrittenBoard written{{board.slug, board.title, board.dtype, board.device, board.modules},
                       board.precision,
                       unless_empty(board.against),
                       board.baselines,
                       unless_empty(board.cache),
                       board.cases,
                       {}};
  for (const LeaderboardRow& row : board.rows) written.rows.push_back(written_row(row));
  return written;
}

WrittenUnmeasured written_unmeasured(const LeaderboardRow& row) {
  const Record& record = row.newest;
  return {{record.problem_slug, record.problem_title, record.dtype, record.device.name, false},
          written_row(row),
          record.required_precision};
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenScore>& score) {
  archive("against", score.against, text_up_to<200>,
          "The reference, a baseline's name, or `baseline`: the fastest one of the class in each case.");
  archive("speedup", score.speedup, positive);
  archive("interval", score.interval);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<StatedScore>& score) {
  fields(archive, static_cast<typename Archive::template Value<WrittenScore>&>(score));
  archive.derived("statement", statement_of(score.interval));
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenCase>& c) {
  archive("name", c.name, case_name_of);
  archive("median_ms", c.median_ms, positive);
  archive("flops", c.flops, any_count);
  archive("bytes", c.bytes, any_count);
  archive("comparisons", c.comparisons);
  archive("roofline_share", c.roofline_share, not_negative);
  archive("bound_by", c.bound_by);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenResult>& result) {
  archive("measured_at", result.measured_at, moment_of);
  archive("sha256", result.sha256, sha256_of, "Of the candidate, with its headers.");
  if (archive.wants_detail())
    archive("new_version", result.is_new_version, "The result before it was of another file at this path.");
  archive("precision", result.precision);
  archive("device_uuid", result.device_uuid, text_up_to<64>, "Which device of its model. Empty if unknown.");
  if (archive.wants_detail()) archive("file", result.file, "From which it was read.");
  archive("tool_version", result.tool_version, text_up_to<64>);
  archive("git_commit", result.git_commit, text_up_to<64>, "Of kgrade. Empty outside a git checkout.");
  archive("problem_sha256", result.problem_sha256, sha256_of);
  archive("reference_sha256", result.reference_sha256, sha256_of);
  archive("effort", result.effort);
  archive("cache", result.cache);
  archive("verdict", result.verdict);
  if (archive.wants_detail()) archive("scores", result.scores);
}

// `lists_rank`: it is on a board.
template <class Archive>
void row_fields(Archive& archive, typename Archive::template Value<WrittenRow>& row, bool lists_rank) {
  if (archive.wants_detail())
    archive("id", row.id, row_id,
            "Of problem, element type, GPU model and the candidate's path: the same in every leaderboard.");
  archive("candidate", row.candidate, text_up_to<4 << 10>,
          "Its path, the same on every machine. A path outside the run's working folder begins at the folder "
          "that "
          "is called like the problem.");
  if (archive.wants_detail()) archive("solution", row.solution, "The file's name without its extension.");
  if (lists_rank && archive.wants_detail()) {
    std::optional<std::size_t> best, worst;
    if (row.rank) best = row.rank->best;
    if (row.rank) worst = row.rank->worst;
    archive("rank", best, IntegerRule{1}, "1 + the number of candidates whose whole interval is above.");
    archive("rank_worst", worst, IntegerRule{1},
            "The number of ranked candidates minus those whose whole interval is below.");
    archive("tied", row.is_tied, "Another one has the same rank.");
    archive("unranked_because", row.unranked_because);
  }
  archive("message", row.message);
  fields(archive, static_cast<typename Archive::template Value<WrittenResult>&>(row));
  if (lists_rank) archive("cases", row.cases);
  if (archive.wants_detail())
    archive("earlier", row.earlier, "Results of the same path before this one, the oldest first.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenRow>& row) {
  row_fields(archive, row, true);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenContest>& contest) {
  archive("problem", contest.problem, slug_of);
  archive("title", contest.title);
  archive("dtype", contest.dtype);
  archive("device", contest.device, text_up_to<200>, "The GPU model.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BoardCase>& c) {
  archive("name", c.name);
  archive("flops", c.flops, any_count);
  archive("bytes", c.bytes, any_count);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenBoard>& board) {
  fields(archive, static_cast<typename Archive::template Value<WrittenContest>&>(board));
  archive("precision", board.precision);
  if (archive.wants_detail()) {
    archive("against", board.against, one_of("baseline", "reference"),
            "What ranks are taken by: the fastest baseline of the class in each case if all ranked "
            "candidates were "
            "measured beside one, and otherwise the reference. Null if nothing is ranked.");
    archive("baselines", board.baselines);
    archive("cache", board.cache, one_of("cold", "warm"));
    archive("cases", board.cases, "That all ranked candidates have measured.");
  }
  archive("rows", board.rows, items(1), "Ranked candidates first.");
  archive.or_default("modules", board.is_of_modules, about_modules);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenUnmeasured>& row) {
  fields(archive, static_cast<typename Archive::template Value<WrittenContest>&>(row));
  if (archive.wants_detail()) archive("required_precision", row.required_precision);
  row_fields(archive, row, false);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenRates>& rates) {
  rate_fields(archive, rates);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LeaderboardDevice>& device) {
  archive("name", device.name, text_up_to<200>);
  archive("kind", device.kind, one_of("cuda", "emulated"));
  archive("times_are_speed", device.times_are_speed);
  if (!archive.wants_detail()) return;
  std::optional<WrittenRates> rates;
  if (device.ceilings) rates = WrittenRates{*device.ceilings};
  archive("ceilings", rates, "The rates that it was measured to reach. Null if unknown.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SuiteRow>& row) {
  archive("solution", row.solution);
  archive("accepted", row.accepted, IntegerRule{1});
  archive("geometric_mean", row.score.geometric_mean, positive);
  archive("interval", row.score.interval);
  archive(
      "fast_p", row.fast_p, share_of_one,
      "By p: the share of all problems of the suite that are answered in the class with a speedup above p.");
  archive("speedups", row.speedups, positive, "Of the accepted ones, the largest first.");
  archive.or_default("fast_p_without_degenerate", row.fast_p_without_degenerate, share_of_one,
                     "fast_p over the problems that are not degenerate, if the suite has both kinds.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Suite>& suite) {
  archive("device", suite.device);
  archive("dtype", suite.dtype);
  archive("precision", suite.precision);
  archive("against", suite.against,
          "The reference, a baseline's name, or `baseline`: the fastest one of the class in each case.");
  archive("problems", suite.problems, IntegerRule{1},
          "With results in this element type on this GPU model that may be answered in the class. Against a "
          "baseline, those that have it.");
  archive("rows", suite.rows, items(1), "One per solution, the best first.");
  archive.or_default("modules", suite.modules, about_modules);
  std::string warm = suite.cache == "warm" ? suite.cache : "";
  archive.or_default("cache", warm, one_of("warm"), "Left out if it is cold.");
  if constexpr (Archive::reads) suite.cache = warm.empty() ? "cold" : warm;
  archive.or_default("degenerate", suite.degenerate, items(1),
                     "Problems whose answer hardly depends on the inputs, by slug.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SampledRun>& run) {
  archive("run", run.run);
  archive("level", run.level);
  archive("device", run.device);
  archive("dtype", run.dtype);
  archive("problems", run.problems, IntegerRule{1});
  archive("samples", run.samples, IntegerRule{1});
  archive("accepted", run.accepted);
  archive("pass_at_k", run.pass_at_k, share_of_one,
          "By k, for 1 and for as many samples as every problem has: the mean over problems of the unbiased "
          "estimator.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenLeaderboard>& board) {
  kind_fields(archive, "kgrade-leaderboard", leaderboard_schema_version);
  if (archive.wants_detail()) {
    archive("newest", board.newest, moment_of, "When the newest result began.");
    archive("measurements", board.measurements, IntegerRule{1},
            "Results that it was made of, each counted once.");
  }
  archive("devices", board.devices, items(1));
  archive("boards", board.boards, "By problem, element type, GPU model and class.");
  archive(
      "unmeasured", board.unmeasured,
      "Candidates that were not accepted, and those accepted on devices whose times do not measure speed.");
  if (!archive.wants_detail()) return;
  archive("suites", board.suites);
  archive.or_default("runs", board.runs, items(1),
                     "Runs of KernelBench: candidates whose names say which sample of a problem they are.");
}

WrittenLeaderboard read_leaderboard(const JsonValue& json) {
  WrittenLeaderboard board;
  read_value(json, board, AnyValue{}, false);
  return board;
}

Json to_json(const Leaderboard& leaderboard) {
  WrittenLeaderboard written{leaderboard.newest, leaderboard.measurements, leaderboard.devices, {}, {},
                             leaderboard.suites, leaderboard.runs};
  for (const Board& board : leaderboard.boards) written.boards.push_back(written_board(board));
  for (const LeaderboardRow& row : leaderboard.unmeasured)
    written.unmeasured.push_back(written_unmeasured(row));
  return json_of(written);
}

Json leaderboard_schema() {
  return schema_document<WrittenLeaderboard>(
      fmt::format("kgrade leaderboard, version {}", leaderboard_schema_version),
      "What `kgrade leaderboard --json` makes of records (record.schema.json). Speedups above 1 mean that "
      "the "
      "candidate is faster. Intervals have 95 % confidence. Numbers are unrounded.");
}

std::string to_text(const Leaderboard& leaderboard) {
  return to_json(leaderboard).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
