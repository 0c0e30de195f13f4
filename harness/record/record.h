// The one result structure that every printer reads: all that a run of `kgrade grade` found, unrounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "problem/case.h"
#include "record/device_info.h"
#include "record/measurement.h"
#include "record/telemetry.h"
#include "record/verdict.h"
#include "sandbox/sandbox.h"

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

// How much of a speed the referee's clock attests (measure/clock_rule.h).
struct ClockRecord {
  double attested_share = 0;         // of what a sample of the candidate counts as: the median
  double protocol_ms = 0;            // that the protocol adds to a call, as the reference's calls show
  std::size_t samples = 0;           // of the candidate, and as many of the reference
  std::size_t raised_candidate = 0;  // of these: they count as longer than the worker reported
  std::size_t raised_reference = 0;
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
  double relative_error = 0;    // the worst of all calls; see verify/judgement.h
  double max_scaled_error = 0;  // likewise
  int calls = 0;                // of the candidate, each of its launches checked
  bool latency_hidden = true;   // in every sample of the candidate
  // Times of one launch, of samples that count. Of the reference in a measured case too.
  std::vector<double> candidate_ms;
  std::vector<double> reference_ms;
  std::vector<double> candidate_wall_ms;   // the referee's clock around each sample, all its launches
  std::optional<Measurement> measurement;  // of a case whose speed is compared
  std::optional<ClockRecord> clock;        // likewise, where times are speed
  std::vector<std::string> notes;          // on its times; the candidate's has them too
  std::optional<CaseRoofline> roofline;    // likewise, where the device's ceilings are known
  // Of the candidate, without samples of their own: calls on contents seen before, on such of which only a
  // few elements are new, and on new ones.
  std::vector<double> repeated_ms;
  std::vector<double> changed_ms;
  std::vector<double> unmeasured_ms;
  // Of the reference, alone on the device, before and after the candidate.
  std::vector<double> reference_before_ms;
  std::vector<double> reference_after_ms;
  double lower_bound_ms = 0;  // that the device's memory and arithmetic set; 0: not known
  // Of accepted cases, where times are speed: with the reference first, then with the fastest baseline of the
  // candidate's class where there is one.
  std::vector<SpeedComparison> comparisons;
  // The last of them: what counts.
  const SpeedComparison* headline() const { return comparisons.empty() ? nullptr : &comparisons.back(); }
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
  std::vector<Score> scores;  // over the bench cases of an accepted candidate; the last one counts
  std::string compiler_log;
  double compile_seconds = 0;   // that the compiler took, now or when the contestant was cached
  bool compile_cached = false;  // it was built before
  LibraryUse libraries;
  TelemetrySummary telemetry;      // of the device, while this candidate was graded
  std::vector<std::string> notes;  // what is to be known beside the verdict
  std::vector<Check> checks;
  std::vector<CaseRecord> cases;
};

struct ReferenceRecord {
  std::string path;
  std::string sha256;
};

// A contestant that calls a vendor's library, on the cases whose speed is measured.
struct BaselineRecord {
  std::string name;  // "cudnn-fp32"
  std::string path;
  std::string sha256;
  std::string problem;  // why it takes no part; empty: it does
  std::vector<BaselineCase> cases;
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
  Dtype dtype = Dtype::float32;  // what [VAR] was
  ReferenceRecord reference;
  std::string toolchain;  // compiler, version and flags
  std::uint64_t seed = 0;
  std::vector<StageTime> stages;  // wall seconds; compiling and preparing the device overlap
  double total_seconds = 0;
};

// The slug, and the type where it is not float32.
std::string problem_text(const RunRecord& record);

struct Record : RunRecord {
  Precision required_precision = Precision::fp32;
  Thresholds thresholds;
  Effort effort = Effort::normal;
  std::optional<std::uint64_t> hidden_seed;  // that hidden cases were drawn by
  std::vector<BaselineRecord> baselines;
  std::string no_baselines;  // why there are none, where there are none
  std::optional<Ceilings> ceilings;
  std::vector<std::string> notes;  // of the run
  std::vector<CandidateRecord> candidates;
};

bool all_accepted(const Record& record);

// The state of this build and this machine.
ToolInfo tool_info();
HostInfo host_info();
std::string utc_now();

}  // namespace kgrade
