#include "leaderboard/record_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/text_file.h"
#include "leaderboard/leaderboard_json.h"
#include "leaderboard/leaderboard_output.h"
#include "record/record_json.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_record_bytes = 64 << 20;
constexpr std::uint64_t most_leaderboard_bytes = 1 << 30;

Error not_a_record(const fs::path& path, int line) {
  return Error{"is no record of kgrade grade",
               "name a file that 'kgrade grade --json' or 'kgrade sweep' wrote",
               Location{path.string(), line, 0}};
}

Error unfinished_line(const fs::path& path, int line) {
  return Error{"ends in the middle of a line: the last result of a sweep is missing",
               "finish the sweep: the same kgrade sweep with --resume", Location{path.string(), line, 0}};
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

class Reader {
 public:
  // `others`: ignore files that hold something else.
  explicit Reader(bool others) : others_(others) {}

  void read_file(const fs::path& path) {
    if (path.extension() == ".jsonl") {
      read_lines(path);
    } else if (const auto text = read_text_file(path, most_record_bytes); !text) {
      complain(text.errors());
    } else {
      take(parse_record(*text, Location{path.string(), 0, 0}, RecordDetail::results), not_a_record(path, 0),
           others_);
    }
  }

  RecordsRead& result() { return result_; }

 private:
  void complain(const Errors& errors) {
    ++result_.unreadable_count;
    for (const Error& error : errors) {
      if (result_.unreadable.size() < RecordsRead::most_errors) result_.unreadable.push_back(error);
    }
  }

  void take(Result<std::optional<Record>> read, const Error& no_record, bool pass_over) {
    if (!read) return complain(read.errors());
    if (*read) {
      std::vector<Record> records = one_a_candidate(std::move(**read));
      std::move(records.begin(), records.end(), std::back_inserter(result_.records));
    }
    if (!*read && !pass_over) complain({no_record});
  }

  // If the first line of a file is JSON of another kind, the file holds no records.
  void read_lines(const fs::path& path) {
    auto reader = LineReader::open(path, most_record_bytes);
    if (!reader) return complain(reader.errors());
    for (bool first = true;;) {
      const auto line = reader->next();
      if (!line) return complain(line.errors());
      if (!*line) break;
      if (is_blank(**line)) continue;
      auto read = parse_record(**line, Location{path.string(), reader->line(), 0}, RecordDetail::results);
      const bool other = first && read.ok() && !*read;
      take(std::move(read), not_a_record(path, reader->line()), other && others_);
      if (other) return;
      first = false;
    }
    if (!is_blank(reader->rest())) result_.unfinished.push_back(unfinished_line(path, reader->line() + 1));
  }

  bool others_;
  RecordsRead result_;
};

// The files that may hold records, in order of name.
Result<std::vector<fs::path>> files_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code failure;
  fs::recursive_directory_iterator walk(folder, failure);
  while (!failure && walk != fs::recursive_directory_iterator()) {
    const fs::path& path = walk->path();
    const bool hidden = path.filename().native().starts_with('.');
    std::error_code unknown;
    if (hidden && walk->is_directory(unknown)) walk.disable_recursion_pending();
    const bool named = path.extension() == ".json" || path.extension() == ".jsonl";
    if (named && !hidden && walk->is_regular_file(unknown)) paths.push_back(path);
    walk.increment(failure);
  }
  if (failure) {
    return Error{"cannot be read: " + failure.message(), "check the permissions of what is in it",
                 Location{folder.string(), 0, 0}};
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<RecordsRead> read_folder(const fs::path& folder) {
  const auto paths = files_below(folder);
  if (!paths) return paths.errors();
  Reader reader(true);
  for (const fs::path& path : *paths) reader.read_file(path);
  RecordsRead& read = reader.result();
  if (!read.records.empty() || !read.unreadable.empty()) return std::move(read);
  return Error{"holds no record of kgrade grade", "name a folder with records or sweeps in it",
               Location{folder.string(), 0, 0}};
}

// --- The JSON of a leaderboard ---

// The problem and the device, as boards and results without a rank state them. `pointer`: where they do so.
Record contest_of(const WrittenContest& contest, const std::vector<LeaderboardDevice>& devices,
                  JsonComplaints& complaints, const std::string& pointer, const Location& from) {
  Record record;
  record.candidates.resize(1);
  record.read_from.file = from.file;
  record.problem_slug = contest.problem;
  record.problem_title = contest.title;
  record.dtype = contest.dtype;
  record.device.name = contest.device;
  if (contest.is_of_modules) record.candidate().python.emplace().is_module = true;
  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [&](const LeaderboardDevice& one) { return one.name == contest.device; });
  if (device == devices.end()) {
    complaints.add(pointer + "/device", "is none of /devices");
  } else {
    record.device.kind = device->kind;
    record.device.measures_speed = device->times_are_speed;
  }
  return record;
}

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

Record record_of(const WrittenRow& row, Record record) {
  CandidateRecord& candidate = record.candidate();
  candidate.path = row.candidate;
  candidate.sha256 = row.sha256;
  candidate.message = row.message;
  candidate.precision = row.precision;
  candidate.verdict = row.verdict;
  record.started_at = row.measured_at;
  record.tool.version = row.tool_version;
  record.tool.git_commit = row.git_commit;
  record.problem_sha256 = row.problem_sha256;
  record.reference.sha256 = row.reference_sha256;
  record.device.uuid = row.device_uuid;
  record.effort = row.effort;
  if (!record.device.measures_speed || candidate.verdict != Verdict::accepted) return record;
  for (const WrittenCase& c : row.cases) candidate.cases.push_back(case_of(c, row.cache));
  return record;
}

}  // namespace

Result<RecordsRead> read_what_can_be(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return read_folder(path);
  if (!fs::exists(path, failure)) return Error{"no such file", "", Location{path.string(), 0, 0}};
  Reader reader(false);
  reader.read_file(path);
  return std::move(reader.result());
}

Result<std::vector<Record>> read_records(const fs::path& path) {
  auto read = read_what_can_be(path);
  if (!read) return read.errors();
  if (!read->unreadable.empty()) return read->unreadable;
  return std::move(read->records);
}

Result<std::optional<std::vector<Record>>> parse_leaderboard(std::string_view text, const Location& from) {
  const auto json = parse_json(text, from, {"suites", "earlier", "scores", "ceilings"});
  if (!json) return json.errors();
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (schema == json->end() || *schema != "kgrade-leaderboard") return std::optional<std::vector<Record>>();
  JsonComplaints complaints(from, "make it again with kgrade leaderboard --json");
  const JsonValue root(*json, complaints);
  const std::int64_t version = root["schema_version"].integer(1, 1'000'000);
  if (version > leaderboard_schema_version) {
    return Error{fmt::format("is a leaderboard of version {}, and this program knows version {}", version,
                             leaderboard_schema_version),
                 "read it with a newer kgrade", from};
  }
  const WrittenLeaderboard written = read_leaderboard(root);
  std::vector<Record> records;
  for (std::size_t i = 0; i < written.boards.size(); ++i) {
    const Record contest =
        contest_of(written.boards[i], written.devices, complaints, fmt::format("/boards/{}", i), from);
    for (const WrittenRow& row : written.boards[i].rows) records.push_back(record_of(row, contest));
  }
  for (std::size_t i = 0; i < written.unmeasured.size(); ++i) {
    const WrittenUnmeasured& row = written.unmeasured[i];
    records.push_back(
        record_of(row, contest_of(row, written.devices, complaints, fmt::format("/unmeasured/{}", i), from)));
  }
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(records));
}

Result<RecordsRead> read_results(const fs::path& path) {
  std::error_code failure;
  if (path.extension() == ".json" && fs::is_regular_file(path, failure)) {
    const auto text = read_text_file(path, most_leaderboard_bytes);
    if (!text) return text.errors();
    auto leaderboard = parse_leaderboard(*text, Location{path.string(), 0, 0});
    if (!leaderboard) return leaderboard.errors();
    RecordsRead read;
    if (*leaderboard) read.records = std::move(**leaderboard);
    if (*leaderboard) return read;
  }
  auto read = read_what_can_be(path);
  if (read.ok() && read->records.empty() && !read->unreadable.empty()) return read->unreadable;
  return read;
}

}  // namespace kgrade
