// The record of a run of `kgrade check`, with unrounded numbers, and its printers: JSON and a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "check/finding.h"
#include "record/record.h"
#include "record/terminal.h"

namespace kgrade {

// One case in one pass.
struct PassRecord {
  std::string pass;
  int calls = 0;                        // calls that returned
  Verdict verdict = Verdict::accepted;  // of the referee, about answers, guard zones and faults
  std::string message;
  int failed_call = 0;         // the call with that verdict, from 1; 0: none
  std::uint64_t findings = 0;  // in this pass, before equal ones are merged
  double seconds = 0;
};

struct CheckedCase {
  std::string name;
  CaseRole role = CaseRole::test;
  std::int64_t tensor_bytes = 0;
  std::optional<std::int64_t> flops;
  bool run = false;
  std::string message;  // why it did not run
  std::vector<PassRecord> passes;
};

enum class CheckStatus { clean, findings, compile_error, signature_mismatch, unsupported };
template <>
inline constexpr std::array<std::string_view, 5> enum_words<CheckStatus> = {
    "clean", "findings", "compile_error", "signature_mismatch", "unsupported"};

struct CheckedCandidate {
  std::string path;
  std::string sha256;
  std::optional<LineRange> lines;  // as in CandidateRecord
  CheckStatus status = CheckStatus::clean;
  std::string message;
  std::string compiler_log;
  double compile_seconds = 0;
  std::vector<Finding> findings;
  std::uint64_t dropped = 0;  // findings that did not fit into the checker's list
  std::vector<CheckedCase> cases;
};

struct CheckRecord : RunRecord {
  std::string checker;  // "emulated device", "compute-sanitizer 2025.3.1.0"
  std::vector<std::string> passes;
  double time_limit_seconds = 0;
  std::vector<std::string> notes;  // tools that the machine lacks, and how to get them
  std::vector<CheckedCandidate> candidates;
};

// Whether the candidate was not checked because the emulated device cannot run it.
bool needs_a_gpu(const CheckRecord& record, const CheckedCandidate& candidate);

// Raised whenever a reader of older files would misread a newer one. Version 2: hashes of candidates cover
// their headers.
constexpr int check_schema_version = 2;

nlohmann::ordered_json to_json(const CheckRecord& record);

// The schema of these documents: results/check.schema.json.
nlohmann::ordered_json check_schema();

// The JSON as text, with a line break at the end. Invalid UTF-8 is replaced by U+FFFD.
std::string to_text(const CheckRecord& record);

// A headline per candidate, a paragraph per finding with its line of source, then what was run. With
// `verbose` also every pass, the stages and the compiler's log.
std::string render_table(const CheckRecord& record, const Style& style, bool verbose);

}  // namespace kgrade
