// Finished results read back: one candidate on one problem, as leaderboards and comparisons see it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/measurement.h"
#include "verify/verdict.h"

namespace kgrade {

// One measured case of an accepted candidate.
struct EntryCase {
  std::string name;
  double candidate_ms = 0;  // median of the samples that count
  // With the reference first, then with the fastest baseline of the candidate's class where there is one.
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
  std::string started_at;      // ISO 8601, UTC
  std::string tool_version;
  std::string git_commit;
  std::string slug;
  std::string title;
  std::string problem_sha256;
  Dtype dtype = Dtype::float32;
  Precision required = Precision::fp32;
  std::string device;       // "NVIDIA H200"
  std::string device_kind;  // "cuda"
  bool times_are_speed = false;
  std::optional<Ceilings> ceilings;
  std::string effort;  // "normal"
  std::string cache;   // "cold"; empty where nothing was measured
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
};

// Entries of a file, in its order: a record of `kgrade grade` (schema kgrade-record, versions 2 and 3, with
// one or more candidates), or a file of such records one a line, as `kgrade sweep` writes it (ending in
// .jsonl; what follows the last line break was being written when the sweep was killed, and is passed over).
// For a folder, of all .json and .jsonl files below it in order of name; there, JSON files that are no record
// are passed over. Errors name the file, for .jsonl with the line, and say what is missing or of the wrong
// type.
Result<std::vector<Entry>> read_entries(const std::filesystem::path& path);

}  // namespace kgrade
