#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "leaderboard/compare_output.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

// One side of a pair.
struct WrittenSide {
  Record record;
};
// A record that only one side has.
struct WrittenOnly {
  Record record;
};
// One case of a pair.
struct WrittenRatio {
  std::string name;
  SpeedRatio ratio;
};
struct WrittenSpeed {
  SpeedRatio ratio;
  std::vector<WrittenRatio> cases;
};
struct WrittenSuite {
  SuiteScore score;
};
// A file that ends in the middle of a line.
struct UnfinishedFile {
  std::string side;
  Location place;
};

namespace {

std::vector<WrittenOnly> written_records(const std::vector<Record>& records) {
  std::vector<WrittenOnly> written;
  for (const Record& record : records) written.push_back({record});
  return written;
}

struct ReasonRule {
  std::string operator()(const JsonValue& value) const { return value.text(most_text); }
  static Json schema() { return {{"type", "string"}, {"minLength", 1}}; }
};

template <class Archive>
void contest_fields(Archive& archive, const Record& record) {
  archive("problem", record.problem_slug, slug_of);
  archive("dtype", record.dtype);
  archive("device", record.device.name, "The emulated device is the same on any number of cores.");
  archive("times_are_speed", record.device.measures_speed);
}

template <class Archive>
void side_fields(Archive& archive, const Record& record) {
  // A candidate's record always has one candidate here; an empty Record, as for a schema, has none.
  const CandidateRecord candidate = record.candidates.empty() ? CandidateRecord{} : record.candidate();
  archive("candidate", candidate.path, "Its path, as the record has it.");
  archive("sha256", candidate.sha256, sha256_of);
  archive("verdict", candidate.verdict);
  archive("message", candidate.message);
  archive("precision", candidate.precision);
  archive("measured_at", record.started_at, moment_of);
  archive("effort", record.effort);
  archive("device_uuid", record.device.uuid, "Which device of its model. Empty if unknown.");
  archive("tool_version", record.tool.version);
  archive("file", record.read_from.file, "From which it was read.");
  std::optional<int> line;
  if (record.read_from.line > 0) line = record.read_from.line;
  archive("line", line, from_one, "Of a .jsonl file.");
}

template <class Archive>
void compared_ratio_fields(Archive& archive, const SpeedRatio& ratio) {
  archive("ratio", ratio.ratio, positive);
  archive("interval", ratio.interval);
  archive("half_width", ratio.half_width(), not_negative);
  archive("statement", ratio.statement());
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenSide>& side) {
  side_fields(archive, side.record);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenOnly>& only) {
  contest_fields(archive, only.record);
  side_fields(archive, only.record);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenRatio>& c) {
  archive("name", c.name);
  compared_ratio_fields(archive, c.ratio);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenSpeed>& speed) {
  compared_ratio_fields(archive, speed.ratio);
  archive("cases", speed.cases, items(1));
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenSuite>& suite) {
  const SuiteScore& score = suite.score;
  compared_ratio_fields(archive,
                        {score.geometric_mean, score.interval, Method::across_processes, score.count});
  archive("pairs", score.count, IntegerRule{1});
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<UnfinishedFile>& unfinished) {
  archive("side", unfinished.side, one_of("before", "after"));
  archive("file", unfinished.place.file);
  archive("line", unfinished.place.line, from_one);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ComparedPair>& pair) {
  contest_fields(archive, pair.after);
  archive("before", WrittenSide{pair.before});
  archive("after", WrittenSide{pair.after});
  archive(
      "verdict_change", pair.change,
      "regression: no longer accepted. improvement: now accepted. other: not accepted before and after, for "
      "other reasons. lower_class: accepted before and after, now in a class of less precision. needs_gpu: "
      "accepted before, and now something that the emulated device cannot run.");
  archive("same_files", pair.same_files, "Candidate, problem and reference are the same, byte by byte.");
  archive("other_device", pair.other_device,
          "Speeds were measured on two devices of the model, or on an unknown one. Intervals include what "
          "devices "
          "differ by. With same_files, the statement is not counted, since the candidate has not changed.");
  archive("in_same_blocks", pair.in_same_blocks,
          "Both were called in the same blocks of a heat, and the ratio is that of their times there. "
          "Otherwise it "
          "is the quotient of their speedups over the reference.");
  std::optional<WrittenSpeed> speed;
  if (pair.speed) speed = WrittenSpeed{*pair.speed, {}};
  for (const ComparedCase& c : pair.cases)
    if (speed) speed->cases.push_back({c.name, c.ratio});
  archive("speed", speed);
  const Json null_or_there = pair.speed ? Json(true) : Json(nullptr);
  archive.where(
      "speed", null_or_there, Json(nullptr),
      [&](auto& none) { none("no_speed", pair.no_speed, ReasonRule{}, "Why speeds are not compared."); },
      [&](auto& compared) { compared("no_speed", pair.no_speed, one_of("")); });
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ComparedRecords>& comparison) {
  kind_fields(archive, "kgrade-compare", compare_schema_version);
  archive("pairs", comparison.pairs, "By problem, element type, device and path of the second record.");
  archive("removed", written_records(comparison.removed),
          "Only the first side has them. The accepted ones are counted as missing.");
  archive("added", written_records(comparison.added), "Only the second side has them.");
  std::vector<UnfinishedFile> unfinished;
  for (const Error& error : comparison.unfinished_before) unfinished.push_back({"before", error.location});
  for (const Error& error : comparison.unfinished_after) unfinished.push_back({"after", error.location});
  archive("unfinished", unfinished,
          "Files that end in the middle of a line: one of their results is missing here.");
  std::optional<WrittenSuite> suite;
  if (comparison.suite.count > 0) suite = WrittenSuite{comparison.suite};
  archive("suite", suite,
          "The geometric mean over the pairs whose speeds are compared. Null if there are none.");
  archive.object("counts", [&](auto& counts) {
    counts("pairs", comparison.pairs.size());
    for (const Statement s : {Statement::faster, Statement::slower, Statement::same, Statement::inconclusive})
      counts(std::string(to_string(s)).c_str(), count_of(comparison, s));
    counts("same_files_on_other_device", count_of_same_files(comparison),
           "Pairs with same_files, other_device and a speed. None of the four statements counts them.");
    counts("no_longer_accepted", count_of(comparison, VerdictChange::regression));
    counts("lower_class", count_of(comparison, VerdictChange::lower_class));
    counts("missing", count_of_missing(comparison), "Removed ones that were accepted.");
    counts("now_accepted", count_of(comparison, VerdictChange::improvement));
    counts("superseded", comparison.superseded);
  });
}

Json to_json(const ComparedRecords& comparison) { return json_of(comparison); }

Json compare_schema() {
  return schema_document<ComparedRecords>(fmt::format("kgrade compare, version {}", compare_schema_version),
                                          "What `kgrade compare --json` writes. Ratios are of speeds: above "
                                          "1, the second side is faster. Intervals "
                                          "have 95 % confidence. Numbers are unrounded.");
}

std::string to_text(const ComparedRecords& comparison) {
  return to_json(comparison).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
