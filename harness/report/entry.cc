#include "report/entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/line_reader.h"
#include "base/text.h"
#include "measure/statistics.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_record_bytes = 64 << 20;
constexpr std::size_t most_errors = 10;

EntryCase case_of(const CaseRecord& c) {
  EntryCase one;
  one.name = c.name;
  one.candidate_ms = c.measurement
                         ? summarise(counted_samples(*c.measurement, c.measurement->arms.size() - 1)).median
                         : summarise(c.candidate_ms).median;
  one.comparisons = c.comparisons;
  one.flops = c.flops;
  one.tensor_bytes = c.tensor_bytes;
  if (!c.roofline) return one;
  one.floor_ms = c.roofline->floor.ms();
  one.bound_by = to_string(c.roofline->floor.bound_by());
  if (!c.roofline->shares.empty()) one.share = c.roofline->shares.back();
  return one;
}

Entry common_of(const Record& record) {
  Entry common;
  common.started_at = record.started_at;
  common.tool_version = record.tool.version;
  common.git_commit = record.tool.git_commit;
  common.slug = record.problem_slug;
  common.title = record.problem_title;
  common.problem_sha256 = record.problem_sha256;
  common.reference_sha256 = record.reference.sha256;
  common.dtype = record.dtype;
  common.required = record.required_precision;
  common.device = record.device.name;
  common.device_kind = record.device.kind;
  common.times_are_speed = record.device.measures_speed;
  common.toolchain = record.toolchain;
  common.ceilings = record.ceilings;
  common.effort = to_string(record.effort);
  common.seconds = record.total_seconds / std::max(1.0, static_cast<double>(record.candidates.size()));
  return common;
}

void add_case(const CaseRecord& c, Entry& entry) {
  ++(c.run ? entry.cases_run : entry.cases_skipped);
  if (!c.run) return;
  if (c.measurement) entry.cache = c.measurement->cache == CacheState::warm ? "warm" : "cold";
  if (!c.comparisons.empty() && entry.verdict == Verdict::accepted) entry.cases.push_back(case_of(c));
}

Error not_a_record(const fs::path& path, int line) {
  return Error{"is no record of kgrade grade",
               "name a file that 'kgrade grade --json' or 'kgrade sweep' wrote",
               Location{path.string(), line, 0}};
}

// As files in a folder are read: nothing where they hold something else.
Result<std::optional<std::vector<Entry>>> read_record(const fs::path& path) {
  const auto text = read_text_file(path, most_record_bytes);
  if (!text) return text.errors();
  return parse_entries(*text, Location{path.string(), 0, 0});
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Appends, and says whether there is to be read on.
bool take(Result<std::optional<std::vector<Entry>>> read, const Error& no_record, std::vector<Entry>& entries,
          Errors& errors) {
  if (!read) {
    errors.insert(errors.end(), read.errors().begin(), read.errors().end());
  } else if (!*read) {
    errors.push_back(no_record);
  } else {
    std::move((*read)->begin(), (*read)->end(), std::back_inserter(entries));
  }
  if (errors.size() > most_errors) errors.resize(most_errors);
  return errors.size() < most_errors;
}

// Nothing where its first line is JSON of another kind.
Result<std::optional<std::vector<Entry>>> read_lines(const fs::path& path) {
  auto reader = LineReader::open(path, most_record_bytes);
  if (!reader) return reader.errors();
  std::vector<Entry> entries;
  Errors errors;
  bool first = true;
  while (true) {
    const auto line = reader->next();
    if (!line) return line.errors();
    if (!*line) break;
    if (is_blank(**line)) continue;
    auto read = parse_entries(**line, Location{path.string(), reader->line(), 0});
    if (first && read.ok() && !*read) return std::optional<std::vector<Entry>>();
    first = false;
    if (!take(std::move(read), not_a_record(path, reader->line()), entries, errors)) break;
  }
  if (!errors.empty()) return errors;
  return std::optional(std::move(entries));
}

Result<std::optional<std::vector<Entry>>> read_file(const fs::path& path) {
  return path.extension() == ".jsonl" ? read_lines(path) : read_record(path);
}

// Of what may hold records, in order of name.
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

Result<std::vector<Entry>> read_folder(const fs::path& folder) {
  const auto paths = files_below(folder);
  if (!paths) return paths.errors();
  std::vector<Entry> entries;
  Errors errors;
  for (const fs::path& path : *paths) {
    auto read = read_file(path);
    if (read.ok() && !*read) continue;
    if (!take(std::move(read), not_a_record(path, 0), entries, errors)) break;
  }
  if (!errors.empty()) return errors;
  if (!entries.empty()) return entries;
  return Error{"holds no record of kgrade grade", "name a folder with records or sweeps in it",
               Location{folder.string(), 0, 0}};
}

}  // namespace

std::string problem_name(const std::string& slug, Dtype dtype) {
  return dtype == Dtype::float32 ? slug : fmt::format("{} ({})", slug, to_string(dtype));
}

std::vector<Entry> entries_of(const Record& record) {
  std::vector<Entry> entries;
  for (const CandidateRecord& candidate : record.candidates) {
    Entry entry = common_of(record);
    entry.path = candidate.path;
    entry.sha256 = candidate.sha256;
    entry.verdict = candidate.verdict;
    entry.message = candidate.message;
    entry.precision = candidate.precision;
    entry.scores = candidate.scores;
    for (const CaseRecord& c : candidate.cases) add_case(c, entry);
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<Entry>> read_entries(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return read_folder(path);
  auto read = read_file(path);
  if (!read) return read.errors();
  if (!*read) return not_a_record(path, path.extension() == ".jsonl" ? 1 : 0);
  return std::move(**read);
}

}  // namespace kgrade
