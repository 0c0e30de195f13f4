// Finished results: one candidate on one problem, as leaderboards, comparisons and CI see it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/measurement.h"
#include "record/record.h"
#include "record/verdict.h"

namespace kgrade {

// One case of an accepted candidate in which its speed was compared.
struct EntryCase {
  std::string name;
  double candidate_ms = 0;  // median of the samples that count
  // With the reference first, then with the fastest baseline of the candidate's class where there is one.
  // Never empty.
  std::vector<SpeedComparison> comparisons;
  std::optional<std::int64_t> flops;
  std::int64_t tensor_bytes = 0;
  // Of the roofline, where the device's ceilings were known.
  std::optional<double> floor_ms;
  std::string bound_by;         // "memory"; empty without a roofline
  std::optional<double> share;  // of the candidate's median
};

struct Entry {
  std::filesystem::path file;  // that it was read from
  int line = 0;                // of a .jsonl file; 0 in a record by itself
  std::string started_at;      // ISO 8601, UTC
  std::string tool_version;
  std::string git_commit;
  std::string slug;
  std::string title;
  std::string problem_sha256;
  std::string reference_sha256;
  Dtype dtype = Dtype::float32;
  Precision required = Precision::fp32;
  std::string device;       // "NVIDIA H200"
  std::string device_kind;  // "cuda"
  bool times_are_speed = false;
  std::string toolchain;  // compiler, version and flags
  std::optional<Ceilings> ceilings;
  std::string effort;  // "normal"
  std::string cache;   // "cold"; empty where nothing was measured
  double seconds = 0;  // that the run took, in equal shares of its candidates
  std::string path;    // of the candidate, as the record has it
  std::string sha256;
  Verdict verdict = Verdict::accepted;
  std::string message;
  Precision precision = Precision::fp32;
  std::vector<Score> scores;  // the last one counts
  std::vector<EntryCase> cases;
  int cases_run = 0;  // measured or not
  int cases_skipped = 0;

  const Score* headline() const { return scores.empty() ? nullptr : &scores.back(); }
  // Whose results belong together: the GPU model. The emulated device is one, on however many cores it runs
  // (its name tells them): of it only verdicts count.
  std::string_view device_model() const { return device_kind == "emulated" ? device_kind : device; }
};

// "conv-1d", "conv-1d (float16)": the slug, and the type where it is not float32.
std::string problem_name(const std::string& slug, Dtype dtype);

// Of a record that has just been made, what read_entries() gives for its file: an entry a candidate.
std::vector<Entry> entries_of(const Record& record);

// Entries of one record as text, of schema kgrade-record; nothing for a JSON document of another schema.
// Errors are at `from`, name the place in the document by its JSON pointer, and say what to do.
//
// Versions 1 to 3 are read. Before 3 there are no intervals, no baselines and no ceilings: of a measured case
// there is the ratio to the reference alone. In version 1 hashes of candidates do not cover their headers.
Result<std::optional<std::vector<Entry>>> parse_entries(std::string_view text, const Location& from);

// Entries of a file or folder that read_what_can_be() in leaderboard/entry_files.h reads, where nothing is
// broken; what follows the last line break of a .jsonl file is passed over. At most ten Errors.
Result<std::vector<Entry>> read_entries(const std::filesystem::path& path);

// Entries of a leaderboard as text (schema kgrade-leaderboard, version 1): of each candidate its newest
// result, with its cases but without scores; nothing for another JSON document. Errors as of parse_entries().
Result<std::optional<std::vector<Entry>>> parse_leaderboard(std::string_view text, const Location& from);

}  // namespace kgrade
