// The one result structure that every printer reads: all that a run of `kgrade grade` found, unrounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "spec/case.h"
#include "verify/verdict.h"

namespace kgrade {

struct ToolInfo {
  std::string version;
  std::string git_commit;  // empty outside a git checkout
  bool git_dirty = false;
};

struct HostInfo {
  std::string system;     // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;     // "6.1.0"
  std::string machine;    // "x86_64"
  std::string processor;  // "AMD EPYC ..."
  int cores = 0;
  std::uint64_t memory_bytes = 0;
};

enum class CheckOutcome { passed, failed, not_run };

// One named thing that was looked at.
struct Check {
  std::string name;
  CheckOutcome outcome = CheckOutcome::not_run;
  std::string detail;
};

struct CaseRecord {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings parameters;  // scalar parameters only
  std::map<std::string, double, std::less<>> real_parameters;
  std::int64_t tensor_bytes = 0;
  std::optional<std::int64_t> flops;
  bool run = false;  // false: skipped, see message
  Verdict verdict = Verdict::accepted;
  std::string message;  // what was wrong, or why it did not run
  Precision precision = Precision::fp32;
  double relative_error = 0;    // the worst of all calls; see verify/verdict.h
  double max_scaled_error = 0;  // likewise
  int calls = 0;                // of the candidate, each checked
  bool latency_hidden = true;   // in every sample of the candidate
  std::vector<double> candidate_ms;
  std::vector<double> reference_ms;
  std::vector<double> candidate_wall_ms;  // the referee's clock around the same calls
  std::optional<double> speedup;          // reference median over candidate median, where times are speed
};

struct CandidateRecord {
  std::string path;
  std::string sha256;
  Verdict verdict = Verdict::accepted;
  std::string message;
  Precision precision = Precision::fp32;  // the worst class of all cases
  std::optional<double> speedup;          // geometric mean over the accepted bench cases
  std::string compiler_log;
  double compile_seconds = 0;
  std::vector<Check> checks;
  std::vector<CaseRecord> cases;
};

struct ReferenceRecord {
  std::string path;
  std::string sha256;
};

struct StageTime {
  std::string name;
  double seconds = 0;
};

struct Record {
  ToolInfo tool;
  std::string started_at;  // ISO 8601, UTC
  HostInfo host;
  DeviceInfo device;
  std::string problem_slug;
  std::string problem_title;
  std::string problem_sha256;
  Precision required_precision = Precision::fp32;
  Thresholds thresholds;
  ReferenceRecord reference;
  std::string toolchain;  // compiler, version and flags
  std::uint64_t seed = 0;
  bool quick = false;
  std::vector<CandidateRecord> candidates;
  std::vector<StageTime> stages;  // wall seconds; compiling and preparing the device overlap
  double total_seconds = 0;
};

bool all_accepted(const Record& record);

// The state of this build and this machine.
ToolInfo tool_info();
HostInfo host_info();
std::string utc_now();

}  // namespace kgrade
