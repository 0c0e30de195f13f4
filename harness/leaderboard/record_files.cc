#include "leaderboard/record_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/text_file.h"
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

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

class Reader {
 public:
  // `others`: whether to ignore files that hold something other than records.
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
    if (!is_blank(reader->rest()))
      result_.unfinished.push_back({"ends in the middle of a line: the last result of a sweep is missing",
                                    "finish the sweep: the same kgrade sweep with --resume",
                                    {path.string(), reader->line() + 1, 0}});
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

}  // namespace

Result<RecordsRead> read_what_can_be(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    const auto files = files_below(path);
    if (!files) return files.errors();
    Reader reader(true);
    for (const fs::path& file : *files) reader.read_file(file);
    RecordsRead& read = reader.result();
    if (!read.records.empty() || !read.unreadable.empty()) return std::move(read);
    return Error{"holds no record of kgrade grade", "name a folder with records or sweeps in it",
                 Location{path.string(), 0, 0}};
  }
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
  Leaderboard read = read_leaderboard(root);
  std::vector<Record> records;
  const auto device_of = [&](const std::string& name, const std::string& pointer) {
    DeviceInfo device;
    device.name = name;
    const auto listed = std::find_if(read.devices.begin(), read.devices.end(),
                                     [&](const LeaderboardDevice& one) { return one.name == name; });
    if (listed == read.devices.end()) {
      complaints.add(pointer + "/device", "is none of /devices");
    } else {
      device.kind = listed->kind;
      device.measures_speed = listed->times_are_speed;
    }
    return device;
  };
  const auto take = [&](Record& record, DeviceInfo device) {
    device.uuid = record.device.uuid;
    record.device = std::move(device);
    record.read_from.file = from.file;
    if (!record.device.measures_speed || record.candidate().verdict != Verdict::accepted)
      record.candidate().cases.clear();
    records.push_back(std::move(record));
  };
  for (std::size_t i = 0; i < read.boards.size(); ++i) {
    Board& board = read.boards[i];
    const DeviceInfo device = device_of(board.device, fmt::format("/boards/{}", i));
    for (LeaderboardRow& row : board.rows) {
      row.newest.problem_slug = board.slug;
      row.newest.problem_title = board.title;
      row.newest.dtype = board.dtype;
      if (board.modules) row.newest.candidate().python.emplace().is_module = true;
      take(row.newest, device);
    }
  }
  for (std::size_t i = 0; i < read.unmeasured.size(); ++i) {
    Record& record = read.unmeasured[i].newest;
    take(record, device_of(record.device.name, fmt::format("/unmeasured/{}", i)));
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
