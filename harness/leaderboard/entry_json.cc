// An entry from the JSON of a record.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "leaderboard/entry.h"
#include "leaderboard/entry_fields.h"
#include "record/json.h"

namespace kgrade {
namespace {

constexpr std::size_t most_candidates = 100'000;
constexpr const char* remedy = "grade it again, or leave the file out";

// What the document says of all its candidates.
struct Document {
  std::int64_t version = record_schema_version;
  Entry common;
};

SpeedComparison comparison_of(const JsonValue& json) {
  constexpr std::int64_t most = 1'000'000'000;
  SpeedComparison comparison;
  comparison.against = json["against"].text(200);
  comparison.ratio.ratio = json["speedup"].positive();
  comparison.ratio.interval = interval_in(json);
  comparison.ratio.method = json["method"].word(
      one_of({Method::within_process, Method::pooled_processes, Method::across_processes}));
  comparison.ratio.count = static_cast<std::size_t>(json["count"].integer(0, most));
  return comparison;
}

void read_fast_p(const JsonValue& json, std::map<double, double>& fast) {
  for (const auto& [name, share] : json.members(100)) {
    double p = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), p);
    if (parsed.ec != std::errc{} || parsed.ptr != name.data() + name.size() || !(p >= 0 && p <= 1e6)) {
      share.complain("is of no speedup");
    } else {
      fast[p] = share.number(0, 1);
    }
  }
}

Score score_of(const JsonValue& json) {
  Score score;
  score.against = json["against"].text(200);
  score.speedup.geometric_mean = json["geometric_mean"].positive();
  score.speedup.interval = interval_in(json);
  score.speedup.count = static_cast<std::size_t>(json["cases"].integer(1, most_cases));
  read_fast_p(json["fast_p"], score.fast);
  return score;
}

Ceilings ceilings_of(const JsonValue& json) {
  Ceilings ceilings;
  ceilings.copy_bytes_per_second = json["copy_bytes_per_second"].positive();
  ceilings.fp32_flops_per_second = json["fp32_flops_per_second"].positive();
  ceilings.tf32_flops_per_second = json["tf32_flops_per_second"].positive();
  ceilings.fp16_flops_per_second = json["fp16_flops_per_second"].positive();
  ceilings.bf16_flops_per_second = json["bf16_flops_per_second"].positive();
  ceilings.fp64_flops_per_second = json["fp64_flops_per_second"].positive();
  ceilings.tensor_instructions = json["tensor_instructions"].text(64);
  ceilings.measured_at = moment_of(json["measured_at"]);
  return ceilings;
}

void read_roofline(const JsonValue& json, EntryCase& into) {
  into.floor_ms = json["floor_ms"].positive();
  into.bound_by = word_of(json["bound_by"], {"memory", "arithmetic"});
  into.share = json["shares"]["candidate"].number(0, 1e6);
}

// Against the reference alone, where it is older than comparisons are.
void read_comparisons(const JsonValue& json, std::int64_t version, EntryCase& into) {
  if (version >= 3) {
    for (const JsonValue& item : json["comparisons"].items(most_comparisons))
      into.comparisons.push_back(comparison_of(item));
    return;
  }
  const auto speedup = json.find("speedup");
  const bool measured = json["role"].text(64) == "bench";
  if (speedup && measured)
    into.comparisons.push_back({"reference", {speedup->positive(), std::nullopt, Method::within_process, 0}});
}

void read_case(const JsonValue& json, const Document& document, Entry& entry) {
  EntryCase one;
  one.name = slug_of(json["name"]);
  if (!json["run"].truth()) {
    ++entry.cases_skipped;
    return;
  }
  ++entry.cases_run;
  one.tensor_bytes = json["tensor_bytes"].integer(0, INT64_MAX);
  if (const auto flops = json.find("flops")) one.flops = flops->integer(0, INT64_MAX);
  if (const auto measurement = json.find("measurement"))
    entry.cache = word_of((*measurement)["cache"], {"cold", "warm"});
  read_comparisons(json, document.version, one);
  if (one.comparisons.empty() || entry.verdict != Verdict::accepted) return;
  one.candidate_ms = json["candidate"]["summary"]["median_ms"].positive();
  if (const auto roofline = json.find("roofline")) read_roofline(*roofline, one);
  entry.cases.push_back(std::move(one));
}

void read_scores(const JsonValue& json, std::int64_t version, Entry& entry) {
  if (version >= 3) {
    for (const JsonValue& item : json["scores"].items(most_comparisons))
      entry.scores.push_back(score_of(item));
  } else if (const auto speedup = json.find("speedup"); speedup && !entry.cases.empty()) {
    entry.scores.push_back({"reference", {speedup->positive(), std::nullopt, entry.cases.size()}});
  }
}

Entry entry_of(const JsonValue& json, const Document& document) {
  Entry entry = document.common;
  entry.path = json["path"].text(most_name);
  entry.sha256 = sha256_of(json["sha256"]);
  entry.verdict = json["verdict"].word(verdict_from);
  entry.message = json["message"].text(most_text);
  entry.precision = precision_of(json["precision"]);
  for (const JsonValue& item : json["cases"].items(most_cases)) read_case(item, document, entry);
  read_scores(json, document.version, entry);
  return entry;
}

void read_problem(const JsonValue& json, Entry& common) {
  common.slug = slug_of(json["slug"]);
  common.title = json["title"].text(most_text);
  common.problem_sha256 = sha256_of(json["sha256"]);
  if (const auto dtype = json.find("dtype")) common.dtype = dtype->word(dtype_from);
  common.required = precision_of(json["precision"]);
}

void read_common(const JsonValue& json, std::int64_t version, Entry& common) {
  common.started_at = moment_of(json["started_at"]);
  common.tool_version = json["tool"]["version"].text(64);
  common.git_commit = json["tool"]["git_commit"].text(64);
  read_problem(json["problem"], common);
  common.reference_sha256 = sha256_of(json["reference"]["sha256"]);
  const JsonValue device = json["device"];
  common.device = device["name"].text(200);
  common.device_kind = word_of(device["kind"], {"cuda", "emulated"});
  common.times_are_speed = device["times_are_speed"].truth();
  common.toolchain = json["toolchain"].text(most_text);
  if (version >= 3) {
    common.effort = word_of(json["effort"], {"quick", "normal", "ranked"});
    if (const auto ceilings = json.find("ceilings")) common.ceilings = ceilings_of(*ceilings);
  } else {
    common.effort = json["quick"].truth() ? "quick" : "normal";
  }
  common.seconds = json["total_seconds"].number(0, 1e9);
}

// What a forged record may claim.
bool has_speed_without_times(const Entry& entry) {
  return !entry.times_are_speed && !(entry.cases.empty() && entry.scores.empty());
}

bool is_record(const nlohmann::json& json) {
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  return schema != json.end() && *schema == "kgrade-record";
}

}  // namespace

Result<std::optional<std::vector<Entry>>> parse_entries(std::string_view text, const Location& from) {
  const auto json = parse_json(text, from,
                               {"samples_ms", "wall_samples_ms", "evidence", "processes", "log", "checks",
                                "baselines", "baseline", "telemetry", "sandbox", "host"});
  if (!json) return json.errors();
  if (!is_record(*json)) return std::optional<std::vector<Entry>>();
  JsonComplaints complaints(from, remedy);
  const JsonValue root(*json, complaints);
  Document document;
  document.version = root["schema_version"].integer(1, 1'000'000);
  if (!complaints.empty()) return complaints.errors();
  if (document.version > record_schema_version) {
    return Error{fmt::format("is a record of version {}, and this program knows those up to {}",
                             document.version, record_schema_version),
                 "read it with a newer kgrade", from};
  }
  document.common.file = from.file;
  document.common.line = from.line;
  read_common(root, document.version, document.common);
  std::vector<Entry> entries;
  for (const JsonValue& item : root["candidates"].items(most_candidates))
    entries.push_back(entry_of(item, document));
  for (Entry& entry : entries) entry.seconds /= static_cast<double>(entries.size());
  if (complaints.empty() && std::any_of(entries.begin(), entries.end(), has_speed_without_times))
    complaints.add("/device/times_are_speed", "is false, but speeds are compared");
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(entries));
}

}  // namespace kgrade
