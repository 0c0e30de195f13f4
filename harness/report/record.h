// The one result structure that every printer reads: all that a run of `kgrade grade` found, unrounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "sandbox/sandbox.h"
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
  // Of the candidate, without samples of their own: calls on contents seen before, and on new ones.
  std::vector<double> repeated_ms;
  std::vector<double> unmeasured_ms;
  // Of the reference, alone on the device, before and after the candidate.
  std::vector<double> reference_before_ms;
  std::vector<double> reference_after_ms;
  double lower_bound_ms = 0;      // that the device's memory and arithmetic set; 0: not known
  std::optional<double> speedup;  // reference median over candidate median, where times are speed
};

// Names of files.
struct LibraryUse {
  std::vector<std::string> linked;  // in the order of the built library
  std::vector<std::string> opened;  // at run time, besides those that its worker has anyway; sorted
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
  LibraryUse libraries;
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

// What compilers and workers ran in.
struct SandboxRecord {
  bool confined = false;             // file system, network and processes of their own: Sandbox::confines()
  std::vector<SandboxLayer> layers;  // those that were missing too; empty: there was no sandbox at all
};

// What the records of all commands hold.
struct RunRecord {
  ToolInfo tool;
  std::string started_at;  // ISO 8601, UTC
  HostInfo host;
  DeviceInfo device;
  SandboxRecord sandbox;
  std::string problem_slug;
  std::string problem_title;
  std::string problem_sha256;
  ReferenceRecord reference;
  std::string toolchain;  // compiler, version and flags
  std::uint64_t seed = 0;
  std::vector<StageTime> stages;  // wall seconds; compiling and preparing the device overlap
  double total_seconds = 0;
};

struct Record : RunRecord {
  Precision required_precision = Precision::fp32;
  Thresholds thresholds;
  bool quick = false;
  std::optional<std::uint64_t> hidden_seed;  // that hidden cases were drawn by
  std::vector<CandidateRecord> candidates;
};

bool all_accepted(const Record& record);

// The state of this build and this machine.
ToolInfo tool_info();
HostInfo host_info();
std::string utc_now();

}  // namespace kgrade
