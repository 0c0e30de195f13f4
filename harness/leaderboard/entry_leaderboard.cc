// Entries from the JSON of a leaderboard.
#include <fmt/format.h>

#include "leaderboard/entry.h"
#include "leaderboard/entry_fields.h"

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

EntryCase case_of(const JsonValue& json) {
  EntryCase one;
  one.name = slug_of(json["name"]);
  one.candidate_ms = json["median_ms"].positive();
  one.tensor_bytes = json["bytes"].integer(0, INT64_MAX);
  if (const auto flops = json.find("flops")) one.flops = flops->integer(0, INT64_MAX);
  for (const JsonValue& item : json["comparisons"].items(most_comparisons)) {
    one.comparisons.push_back({item["against"].text(200),
                               {item["speedup"].positive(), interval_in(item), Method::within_process, 0}});
  }
  return one;
}

// What boards and results without a rank say of problem and device.
Entry contest_of(const JsonValue& json, const Devices& devices, const Location& from) {
  Entry entry;
  entry.file = from.file;
  entry.slug = slug_of(json["problem"]);
  entry.title = json["title"].text(most_text);
  entry.dtype = json["dtype"].word(dtype_from);
  entry.device = json["device"].text(200);
  entry.precision = precision_of(json["precision"]);
  const auto device = devices.find(entry.device);
  if (device == devices.end()) {
    json["device"].complain("is none of /devices");
  } else {
    std::tie(entry.device_kind, entry.times_are_speed) = device->second;
  }
  return entry;
}

Entry row_of(const JsonValue& json, Entry entry) {
  entry.path = json["candidate"].text(most_name);
  entry.sha256 = sha256_of(json["sha256"]);
  entry.message = json["message"].text(most_text);
  entry.started_at = moment_of(json["measured_at"]);
  entry.tool_version = json["tool_version"].text(64);
  entry.git_commit = json["git_commit"].text(64);
  entry.problem_sha256 = sha256_of(json["problem_sha256"]);
  if (const auto reference = json.find("reference_sha256")) entry.reference_sha256 = sha256_of(*reference);
  entry.effort = word_of(json["effort"], {"quick", "normal", "ranked"});
  if (const auto cache = json.find("cache")) entry.cache = word_of(*cache, {"cold", "warm"});
  entry.verdict = json["verdict"].word(verdict_from);
  return entry;
}

void read_board(const JsonValue& json, const Devices& devices, const Location& from,
                std::vector<Entry>& entries) {
  const Entry contest = contest_of(json, devices, from);
  for (const JsonValue& item : json["rows"].items(most_rows)) {
    Entry entry = row_of(item, contest);
    if (entry.times_are_speed && entry.verdict == Verdict::accepted) {
      for (const JsonValue& one : item["cases"].items(most_cases)) entry.cases.push_back(case_of(one));
    }
    entry.cases_run = static_cast<int>(entry.cases.size());
    entries.push_back(std::move(entry));
  }
}

}  // namespace

Result<std::optional<std::vector<Entry>>> parse_leaderboard(std::string_view text, const Location& from) {
  const auto json = parse_json(text, from, {"suites", "earlier", "scores", "ceilings"});
  if (!json) return json.errors();
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (schema == json->end() || *schema != "kgrade-leaderboard") return std::optional<std::vector<Entry>>();
  JsonComplaints complaints(from, "make it again with kgrade leaderboard --json");
  const JsonValue root(*json, complaints);
  const std::int64_t version = root["schema_version"].integer(1, 1'000'000);
  if (version > known_version) {
    return Error{fmt::format("is a leaderboard of version {}, and this program knows version {}", version,
                             known_version),
                 "read it with a newer kgrade", from};
  }
  const Devices devices = devices_of(root["devices"]);
  std::vector<Entry> entries;
  for (const JsonValue& board : root["boards"].items(most_rows)) read_board(board, devices, from, entries);
  for (const JsonValue& row : root["unmeasured"].items(most_rows))
    entries.push_back(row_of(row, contest_of(row, devices, from)));
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(entries));
}

}  // namespace kgrade
