// What `kgrade check` found: the structure that its printers read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.h"

namespace kgrade {

// A line of the candidate's own source.
struct FindingPlace {
  std::string file;  // as the user gave it
  int line = 0;
  std::string function;
  std::string text;  // the line itself, without the blanks around it

  bool is_at(const FindingPlace& other) const { return file == other.file && line == other.line; }
};

struct FindingThread {
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
};

// Threads of one block that wait at one place.
struct FindingWait {
  std::optional<FindingPlace> place;
  bool barrier = false;  // for all threads of the block; else for lanes of their warp
  std::uint32_t threads = 0;
  std::array<std::uint32_t, 3> first{};
  std::uint32_t mask = 0;  // of a warp operation
};

struct Finding {
  std::string kind;     // "race"; of what the referee found, the word of a verdict: "wrong_answer"
  std::string message;  // one sentence
  std::string remedy;
  std::optional<FindingPlace> place;
  std::optional<FindingPlace> other_place;  // of the earlier access of a race
  std::string kernel;                       // empty: host code, or not known
  std::optional<FindingThread> thread;
  std::optional<FindingThread> other_thread;
  std::vector<FindingWait> waits;
  std::uint32_t exited = 0;  // threads of that block that had returned
  std::uint64_t occurrences = 1;
  // Where it showed first, and all passes in which it shows: thread orders ("reverse"), or tools of
  // compute-sanitizer ("racecheck").
  std::string first_case;
  std::vector<std::string> passes;
};

// One case in one pass.
struct PassRecord {
  std::string pass;
  int calls = 0;                        // that came back
  Verdict verdict = Verdict::accepted;  // of the referee: answers, guard zones, faults
  std::string message;
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
std::string_view to_string(CheckStatus status);

struct CheckedCandidate {
  std::string path;
  std::string sha256;
  CheckStatus status = CheckStatus::clean;
  std::string message;
  std::string compiler_log;
  double compile_seconds = 0;
  std::vector<Finding> findings;
  std::uint64_t dropped = 0;  // places that had no room in the checker's list
  std::vector<CheckedCase> cases;
};

struct CheckRecord : RunRecord {
  std::string checker;  // "emulated device", "compute-sanitizer 2025.3.1.0"
  std::vector<std::string> passes;
  double time_limit_seconds = 0;
  std::vector<std::string> notes;  // what the machine lacks, and how to get it
  std::vector<CheckedCandidate> candidates;
};

bool all_clean(const CheckRecord& record);

}  // namespace kgrade
