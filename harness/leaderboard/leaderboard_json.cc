#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "leaderboard/leaderboard_output.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

struct WrittenScore {
  std::string against;
  double speedup = 1;
  std::optional<Interval> interval;
};

// The score over all measured cases.
struct StatedScore : WrittenScore {};

struct WrittenCase {
  std::string name;
  double median_ms = 0;
  std::optional<std::int64_t> flops;
  std::int64_t bytes = 0;
  std::vector<WrittenScore> comparisons;
  std::optional<double> roofline_share;
  std::optional<BoundBy> bound_by;
};

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

CaseRecord case_of(const WrittenCase& written, const std::optional<CacheState>& cache) {
  CaseRecord c;
  c.run = true;
  c.name = written.name;
  c.candidate().summary = {1, written.median_ms};
  c.tensor_bytes = written.bytes;
  c.flops = written.flops;
  for (const WrittenScore& score : written.comparisons)
    c.speedups.push_back({score.against, {score.speedup, score.interval}});
  if (cache) c.measurement.emplace().cache = *cache;
  return c;
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
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
std::optional<CacheState> result_fields(Archive& archive,
                                        typename Archive::template Value<LeaderboardResult>& result) {
  auto& candidate = result.candidate();
  archive("measured_at", result.started_at, moment_of);
  archive("sha256", candidate.sha256, sha256_of, "Of the candidate, with its headers.");
  if (archive.wants_detail())
    archive("new_version", result.is_new_version, "The result before it was of another file at this path.");
  archive("precision", candidate.precision);
  archive("device_uuid", result.device.uuid, text_up_to<64>, "Which device of its model. Empty if unknown.");
  if (archive.wants_detail()) archive("file", result.read_from.file, "From which it was read.");
  archive("tool_version", result.tool.version, text_up_to<64>);
  archive("git_commit", result.tool.git_commit, text_up_to<64>, "Of kgrade. Empty outside a git checkout.");
  archive("problem_sha256", result.problem_sha256, sha256_of);
  archive("reference_sha256", result.reference.sha256, sha256_of);
  archive("effort", result.effort);
  auto cache = enum_from<CacheState>(cache_text(candidate));
  archive("cache", cache);
  archive("verdict", candidate.verdict);
  if (!archive.wants_detail()) return cache;
  std::vector<StatedScore> scores;
  for (const Score& score : candidate.scores)
    scores.push_back({{score.against, score.speedup.geometric_mean, score.speedup.interval}});
  archive("scores", scores);
  return cache;
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LeaderboardResult>& result) {
  result_fields(archive, result);
}

// `lists_rank`: the row is on a board.
template <class Archive>
void row_fields(Archive& archive, typename Archive::template Value<LeaderboardRow>& row, bool lists_rank) {
  auto& candidate = row.newest.candidate();
  if (archive.wants_detail())
    archive("id", row.id, row_id,
            "Of problem, element type, GPU model and the candidate's path: the same in every leaderboard.");
  archive("candidate", candidate.path, text_up_to<4 << 10>,
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
    archive("tied", row.tied, "Another one has the same rank.");
    auto unranked_because = unless_empty(row.unranked_because);
    archive("unranked_because", unranked_because);
  }
  archive("message", candidate.message);
  const auto cache = result_fields(archive, row.newest);
  if (lists_rank) {
    std::vector<WrittenCase> cases;
    for (const CaseRecord* c : compared_cases(candidate)) {
      WrittenCase& written = cases.emplace_back(
          WrittenCase{c->name, c->candidate().summary.median, c->flops, c->tensor_bytes, {}, {}, {}});
      for (const Speedup& speedup : c->speedups)
        written.comparisons.push_back({speedup.against, speedup.ratio.ratio, speedup.ratio.interval});
      if (!c->roofline) continue;
      written.roofline_share = c->roofline->shares.back();
      written.bound_by = c->roofline->floor.bound_by();
    }
    archive("cases", cases);
    if constexpr (Archive::reads) {
      for (const WrittenCase& c : cases) candidate.cases.push_back(case_of(c, cache));
    }
  }
  if (archive.wants_detail())
    archive("earlier", row.earlier, "Results of the same path before this one, the oldest first.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LeaderboardRow>& row) {
  row_fields(archive, row, true);
}

template <class Archive>
void contest_fields(Archive& archive, auto& slug, auto& title, auto& dtype, auto& device) {
  archive("problem", slug, slug_of);
  archive("title", title);
  archive("dtype", dtype);
  archive("device", device, text_up_to<200>, "The GPU model.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BoardCase>& c) {
  archive("name", c.name);
  archive("flops", c.flops, any_count);
  archive("bytes", c.bytes, any_count);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Board>& board) {
  contest_fields(archive, board.slug, board.title, board.dtype, board.device);
  archive("precision", board.precision);
  if (archive.wants_detail()) {
    auto against = unless_empty(board.against), cache = unless_empty(board.cache);
    archive("against", against, one_of("baseline", "reference"),
            "What ranks are taken by: the fastest baseline of the class in each case if all ranked "
            "candidates were "
            "measured beside one, and otherwise the reference. Null if nothing is ranked.");
    archive("baselines", board.baselines);
    archive("cache", cache, one_of("cold", "warm"));
    archive("cases", board.cases, "That all ranked candidates have measured.");
  }
  archive("rows", board.rows, items(1), "Ranked candidates first.");
  archive.or_default("modules", board.modules, about_modules);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<UnmeasuredRow>& row) {
  auto& record = row.newest;
  contest_fields(archive, record.problem_slug, record.problem_title, record.dtype, record.device.name);
  if (archive.wants_detail()) archive("required_precision", record.required_precision);
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
void fields(Archive& archive, typename Archive::template Value<Leaderboard>& board) {
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

Leaderboard read_leaderboard(const JsonValue& json) {
  Leaderboard board;
  read_value(json, board, AnyValue{}, false);
  return board;
}

Json to_json(const Leaderboard& leaderboard) { return json_of(leaderboard); }

Json leaderboard_schema() {
  return schema_document<Leaderboard>(
      fmt::format("kgrade leaderboard, version {}", leaderboard_schema_version),
      "What `kgrade leaderboard --json` makes of records (record.schema.json). Speedups above 1 mean that "
      "the "
      "candidate is faster. Intervals have 95 % confidence. Numbers are unrounded.");
}

std::string to_text(const Leaderboard& leaderboard) {
  return to_json(leaderboard).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
