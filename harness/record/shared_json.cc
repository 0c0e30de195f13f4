#include "record/shared_json.h"

#include <fmt/format.h>

namespace kgrade {
namespace {

template <class Archive>
void begin(Archive& archive, typename Archive::template Value<RunRecord>& record) {
  archive("tool", record.tool);
  archive("started_at", record.started_at, moment_of);
  if (archive.wants_detail()) archive("host", record.host);
  archive("device", record.device);
  if (archive.wants_detail()) archive("sandbox", record.sandbox);
  archive.object("problem", [&](auto& problem) {
    problem("slug", record.problem_slug, slug_of);
    problem("title", record.problem_title);
    problem("sha256", record.problem_sha256, sha256_of);
    problem("dtype", record.dtype);
    if (Archive::reads || record.inputs) problem("inputs", record.inputs);
    if constexpr (Archive::reads) {
      const auto cleared = problem.value().find("clears_outputs");
      record.clears_outputs = cleared && cleared->truth();
    } else if (record.clears_outputs) {
      problem("clears_outputs", true);
    }
  });
  archive("reference", record.reference);
  archive("toolchain", record.toolchain);
  archive("seed", record.seed, unsigned_text);
}

}  // namespace

nlohmann::ordered_json json_of(const LineRange& lines) {
  return nlohmann::ordered_json::array({lines.first, lines.last});
}

LineRange lines_of(const JsonValue& value) {
  LineRange lines;
  const std::vector<JsonValue> numbers = value.items(2);
  if (numbers.size() == 2) {
    lines.first = static_cast<int>(numbers[0].integer(1, INT32_MAX));
    lines.last = static_cast<int>(numbers[1].integer(1, INT32_MAX));
  }
  if (numbers.size() != 2 || lines.last < lines.first) value.complain("are no first and last line");
  return lines;
}

nlohmann::ordered_json json_of(const Summary& summary) {
  nlohmann::ordered_json json;
  if (summary.count == 0) return json;
  JsonWriter writer(json);
  fields(writer, summary);
  return json;
}

nlohmann::ordered_json fast_p_json(const std::map<double, double>& fast_p) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [p, share] : fast_p) json[fmt::format("{}", p)] = share;
  return json;
}

nlohmann::ordered_json reasons_json(const TelemetrySummary& telemetry) {
  if (!telemetry.reasons_known) return nullptr;
  nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
  for (const ReasonShare& reason : telemetry.reasons) reasons[reason.name] = reason.share;
  return reasons;
}

nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const StageTime& stage : stages) json[stage.name] = stage.seconds;
  return json;
}

nlohmann::ordered_json begin_json(const RunRecord& record, const std::string& schema, int schema_version) {
  nlohmann::ordered_json json = {{"schema", schema}, {"schema_version", schema_version}};
  JsonWriter writer(json);
  begin(writer, record);
  return json;
}

void read_begin(JsonReader& archive, RunRecord& record) { begin(archive, record); }

void end_json(nlohmann::ordered_json& json, const RunRecord& record) {
  json["stages_seconds"] = stages_json(record.stages);
  json["total_seconds"] = record.total_seconds;
}

void read_end(JsonReader& archive, RunRecord& record) {
  record.stages.clear();
  for (const auto& [name, seconds] : archive.value()["stages_seconds"].members(100))
    record.stages.push_back({name, not_negative(seconds)});
  archive("total_seconds", record.total_seconds, [](const JsonValue& json) { return json.number(0, 1e9); });
}

}  // namespace kgrade
