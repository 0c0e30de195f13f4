// Records from the JSON of a leaderboard.
#include <fmt/format.h>

#include "leaderboard/record_files.h"
#include "record/json_parts.h"

namespace kgrade {
namespace {

constexpr std::size_t most_rows = 1'000'000;
constexpr std::int64_t known_version = 1;

using Devices = std::map<std::string, std::pair<std::string, bool>>;  // by name: kind, and times are speed

Devices devices_of(const JsonValue& json) {
  Devices devices;
  for (const JsonValue& item : json.items(most_rows)) {
    devices[item["name"].text(200)] = {word_of(item["kind"], {"cuda", "emulated"}),
                                       item["times_are_speed"].truth()};
  }
  return devices;
}

SpeedRatio ratio_of(const JsonValue& json) {
  SpeedRatio ratio{json["speedup"].positive()};
  JsonReader(json, true)("interval", ratio.interval);
  return ratio;
}

CaseRecord case_of(const JsonValue& json) {
  CaseRecord one;
  one.run = true;
  one.name = slug_of(json["name"]);
  one.candidate().summary = {1, json["median_ms"].positive()};
  one.tensor_bytes = json["bytes"].integer(0, INT64_MAX);
  if (const auto flops = json.find("flops")) one.flops = flops->integer(0, INT64_MAX);
  for (const JsonValue& item : json["comparisons"].items(most_items)) {
    one.speedups.push_back({item["against"].text(200), ratio_of(item)});
  }
  return one;
}

// What boards and results without a rank say of problem and device.
Record contest_of(const JsonValue& json, const Devices& devices, const Location& from) {
  Record record;
  record.candidates.resize(1);
  record.read_from.file = from.file;
  record.problem_slug = slug_of(json["problem"]);
  record.problem_title = json["title"].text(most_text);
  record.dtype = json["dtype"].word(enum_from<Dtype>);
  record.device.name = json["device"].text(200);
  record.candidate().precision = json["precision"].word(enum_from<Precision>);
  const auto device = devices.find(record.device.name);
  if (device == devices.end()) {
    json["device"].complain("is none of /devices");
  } else {
    std::tie(record.device.kind, record.device.measures_speed) = device->second;
  }
  return record;
}

Record row_of(const JsonValue& json, Record record) {
  record.candidate().path = json["candidate"].text(4 << 10);
  record.candidate().sha256 = sha256_of(json["sha256"]);
  record.candidate().message = json["message"].text(most_text);
  record.started_at = moment_of(json["measured_at"]);
  record.tool.version = json["tool_version"].text(64);
  record.tool.git_commit = json["git_commit"].text(64);
  record.problem_sha256 = sha256_of(json["problem_sha256"]);
  if (const auto reference = json.find("reference_sha256")) record.reference.sha256 = sha256_of(*reference);
  record.effort = json["effort"].word(enum_from<Effort>);
  record.candidate().verdict = json["verdict"].word(enum_from<Verdict>);
  return record;
}

void read_board(const JsonValue& json, const Devices& devices, const Location& from,
                std::vector<Record>& records) {
  const Record contest = contest_of(json, devices, from);
  for (const JsonValue& item : json["rows"].items(most_rows)) {
    Record record = row_of(item, contest);
    if (record.device.measures_speed && record.candidate().verdict == Verdict::accepted) {
      for (const JsonValue& one : item["cases"].items(most_items))
        record.candidate().cases.push_back(case_of(one));
    }
    if (const auto cache = item.find("cache")) {
      const auto state = cache->word(enum_from<CacheState>);
      for (CaseRecord& c : record.candidate().cases) c.measurement.emplace().cache = state;
    }
    records.push_back(std::move(record));
  }
}

}  // namespace

Result<std::optional<std::vector<Record>>> parse_leaderboard(std::string_view text, const Location& from) {
  const auto json = parse_json(text, from, {"suites", "earlier", "scores", "ceilings"});
  if (!json) return json.errors();
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (schema == json->end() || *schema != "kgrade-leaderboard") return std::optional<std::vector<Record>>();
  JsonComplaints complaints(from, "make it again with kgrade leaderboard --json");
  const JsonValue root(*json, complaints);
  const std::int64_t version = root["schema_version"].integer(1, 1'000'000);
  if (version > known_version) {
    return Error{fmt::format("is a leaderboard of version {}, and this program knows version {}", version,
                             known_version),
                 "read it with a newer kgrade", from};
  }
  const Devices devices = devices_of(root["devices"]);
  std::vector<Record> records;
  for (const JsonValue& board : root["boards"].items(most_rows)) read_board(board, devices, from, records);
  for (const JsonValue& row : root["unmeasured"].items(most_rows))
    records.push_back(row_of(row, contest_of(row, devices, from)));
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(records));
}

}  // namespace kgrade
