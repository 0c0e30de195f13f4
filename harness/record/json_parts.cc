#include "record/json_parts.h"

#include <charconv>

#include "base/text.h"

namespace kgrade {
namespace {

std::string checked(const JsonValue& value, const std::string& text, bool good, const char* what) {
  if (!good && !text.empty()) value.complain(what);
  return good ? text : std::string();
}

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
  });
  archive("reference", record.reference);
  archive("toolchain", record.toolchain);
  if constexpr (Archive::reads) {
    archive("seed", record.seed, unsigned_text);
  } else {
    archive("seed", std::to_string(record.seed));
  }
}

}  // namespace

nlohmann::ordered_json json_of(const Summary& summary) {
  nlohmann::ordered_json json;
  if (summary.count == 0) return json;
  JsonWriter writer(json);
  fields(writer, summary);
  return json;
}

std::string word_of(const JsonValue& value, std::initializer_list<std::string_view> words) {
  return value.word([&](std::string_view text) -> std::optional<std::string> {
    const auto found = std::find(words.begin(), words.end(), text);
    return found == words.end() ? std::nullopt : std::optional<std::string>(*found);
  });
}

std::string slug_of(const JsonValue& value) {
  const std::string text = value.text(200);
  const bool good = std::all_of(text.begin(), text.end(),
                                [](char c) { return is_digit(c) || is_small_letter(c) || c == '-'; });
  return checked(value, text, good, "is not of small letters, digits and hyphens");
}

std::string sha256_of(const JsonValue& value) {
  const std::string text = value.text(64);
  const bool good = text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
                      return is_digit(c) || (c >= 'a' && c <= 'f');
                    });
  return checked(value, text, good, "is no SHA-256 in hexadecimal digits");
}

std::string moment_of(const JsonValue& value) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const std::string text = value.text(form.size());
  const bool good = std::equal(text.begin(), text.end(), form.begin(), form.end(),
                               [](char c, char f) { return f == '0' ? is_digit(c) : c == f; });
  return checked(value, text, good, "is no moment like 2026-01-31T12:00:00Z");
}

std::uint64_t unsigned_text(const JsonValue& value) {
  const std::string text = value.text(20);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()))
    value.complain("is no whole number of 64 bits");
  return number;
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
