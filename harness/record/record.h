// The one result structure that every printer reads: all that a run of `kgrade grade` found, unrounded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/statistics.h"
#include "problem/case.h"
#include "record/device_info.h"
#include "record/speed.h"
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
std::string_view to_string(CheckOutcome outcome);

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

// An element of an output that is wrong.
struct WrongElement {
  std::vector<std::int64_t> index;  // in the tensor, one for each dimension
  std::string expected;             // "0.25", "inf", "nan"
  std::string got;                  // likewise, or "never written"
};

// How an output is wrong (verify/wrong_output.h).
struct WrongOutput {
  std::string tensor;
  std::uint64_t elements = 0;
  std::uint64_t wrong = 0;
  std::uint64_t never_written = 0;
  std::uint64_t added_to = 0;  // the kernel added to what the output held before the call
  std::string pattern;         // what the wrong elements have in common; empty: nothing that is known
  std::vector<WrongElement> examples;
};

// A contestant in one case.
struct Arm {
  std::string name;             // "reference", "candidate", or the baseline's
  std::vector<Sample> samples;  // of calls outside blocks, whatever they were for
  Summary summary;              // of the samples that count, those of blocks too: see summarise_arms()
  bool is_beside = false;       // a baseline that does not count: slower, or of another class
};

// What a candidate printed (record/printed.h).
struct Printed {
  std::vector<std::string> lines;  // the first ones
  std::uint64_t more_lines = 0;    // that are left out
  bool cut_off = false;            // there was more than there is room for, and that is not counted
};

// How the rule for errors (verify/judgement.h) judged an output.
struct AppliedRule {
  std::string decided_by;  // "the whole output": the elements whose error came nearest to the bound
  double bound = 0;        // of the class that the problem asks for
  std::int64_t terms = 1;  // of the longest sum (Case::terms)
};

struct CaseRecord {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings parameters;  // scalar parameters only
  std::map<std::string, double, std::less<>> real_parameters;
  std::string scales;  // how its inputs differ from those of other cases, where they do (scalings_text())
  std::int64_t tensor_bytes = 0;
  std::optional<std::int64_t> flops;
  double weight = 1;  // in scores over cases
  bool run = false;   // false: skipped, see message
  Verdict verdict = Verdict::accepted;
  std::string message;  // what was wrong, or why it did not run
  Precision precision = Precision::fp32;
  std::optional<WrongOutput> wrong;  // of the call that gave a wrong answer
  std::optional<Printed> printed;    // in the first call of a sample case; unset: nothing
  double relative_error = 0;         // the worst of all calls; see verify/judgement.h
  double max_scaled_error = 0;       // likewise
  std::optional<AppliedRule> rule;   // of the call and output that came nearest to its bound
  int calls = 0;                     // of the candidate, each of its launches checked
  bool latency_hidden = true;        // in every sample of the candidate
  // The reference, the baseline that counts where there is one, other baselines, the candidate.
  std::vector<Arm> arms = {{"reference", {}, {}}, {"candidate", {}, {}}};
  std::optional<Measurement> measurement;  // of a case whose speed is compared
  std::optional<ClockRecord> clock;        // likewise, where times are speed
  std::vector<std::string> notes;          // on its times; the candidate's has them too
  std::optional<CaseRoofline> roofline;    // likewise, where the device's ceilings are known
  // Of the reference, alone on the device, before and after the candidate.
  std::vector<double> reference_before_ms;
  std::vector<double> reference_after_ms;
  double lower_bound_ms = 0;  // that the device's memory and arithmetic set; 0: not known
  // Of accepted cases, where times are speed: with the reference first, then with the fastest baseline of the
  // candidate's class where there is one.
  std::vector<Speedup> speedups;
  // The last of them: what counts.
  const Speedup* headline() const { return speedups.empty() ? nullptr : &speedups.back(); }
  std::vector<Speedup> others;  // with the other baselines, in the order of their arms

  const Arm& candidate() const { return arms.back(); }
  Arm& candidate() { return arms.back(); }
  const Arm& reference() const { return arms.front(); }
  Arm& reference() { return arms.front(); }
};

// Of calls outside blocks, in their order.
std::vector<double> times_for(const Arm& arm, Purpose purpose);
// Samples of an arm, two a block, those of void blocks too; without blocks those that were compared.
std::vector<Sample> samples_of(const CaseRecord& record, std::size_t arm);
// What those count as that are not in void blocks.
std::vector<double> counted_times(const CaseRecord& record, std::size_t arm);
void summarise_arms(CaseRecord& record);

// Names of files.
struct LibraryUse {
  std::vector<std::string> linked;  // in the order of the built library
  std::vector<std::string> opened;  // at run time, besides those that its worker has anyway; sorted
};

// From the first line to the last one, counted from 1.
struct LineRange {
  int first = 0;
  int last = 0;
};

// Of a candidate in Python.
struct PythonRecord {
  std::string entry;  // "solution", "ModelNew"
  // A module prepares its weights once, and a kernel for each call: they are not compared on one board.
  bool is_module = false;
  std::string interpreter;  // "3.11.7"
  std::string torch;        // "2.11.0"
  std::string triton;       // empty: there is none
  // Whose headers its extensions were built with: "small" (kgrade's own), "torch". Empty: it has none.
  std::vector<std::string> headers;
  // Of PyTorch, that compute something and that it called in its rehearsal, as far as it lets see.
  std::vector<std::string> functions;
};

// Candidates that were graded side by side (grade/heat.h).
struct HeatRecord {
  int number = 1;      // of the heats of a run
  int candidates = 2;  // in it
};

// Another candidate of the same heat. In every measured case both were called in the same blocks.
struct Neighbour {
  std::string path;
  std::string sha256;
  SuiteScore speedup;               // over all cases, as in scores; above 1: the candidate is faster than it
  std::vector<ComparedCase> cases;  // likewise
};

struct CandidateRecord {
  std::string path;
  std::string sha256;
  std::optional<LineRange> lines;     // of a document, those that were graded; unset: the whole file
  std::optional<std::uint64_t> seed;  // of its contents, in the attempt that counts; unset: an older record
  std::optional<HeatRecord> heat;     // in which the verdict was found; unset: alone
  Verdict verdict = Verdict::accepted;
  std::string message;
  Precision precision = Precision::fp32;  // the worst class of all cases
  std::vector<Score> scores;  // over the bench cases of an accepted candidate; the last one counts
  const Score* headline() const { return scores.empty() ? nullptr : &scores.back(); }
  std::vector<Score> by_baseline;     // likewise, against each one by its name that was measured in all cases
  std::vector<Neighbour> neighbours;  // of an accepted candidate: accepted ones of the same class
  std::string compiler_log;
  double compile_seconds = 0;          // that the compiler took, now or when the contestant was cached
  bool compile_cached = false;         // it was built before
  std::optional<PythonRecord> python;  // unset: CUDA C++
  bool is_module() const { return python && python->is_module; }
  LibraryUse libraries;
  TelemetrySummary telemetry;      // of the device, while this candidate was graded
  std::vector<std::string> notes;  // what is to be known beside the verdict
  std::vector<Check> checks;
  std::vector<CaseRecord> cases;
};

struct ReferenceRecord {
  std::string path;
  std::string sha256;

  // The Model of a Python file, in eager mode and without TF32: the baseline pytorch-fp32 of others.
  bool is_pytorch() const { return path.ends_with(".py"); }
};

// A vendor's library or a module of PyTorch, on the cases whose speed is measured.
struct BaselineRecord {
  std::string name;          // "cudnn-fp32"
  std::string library = {};  // "cuDNN 9.19.0"; empty: it calls none, or the record is older
  std::string path = {};
  std::string sha256 = {};
  std::string problem = {};  // why it takes no part; empty: it does
  std::vector<BaselineCase> cases = {};
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
  Dtype dtype = Dtype::float32;                         // what [VAR] was
  std::optional<std::vector<std::string>> inputs = {};  // as --inputs had them; unset: the problem's own
  bool clears_outputs = false;  // before each call, which the problem does not promise
  ReferenceRecord reference;
  std::string toolchain;  // compiler, version and flags
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> hidden_seed;  // that hidden cases were drawn by
  std::vector<StageTime> stages;             // wall seconds; compiling and preparing the device overlap
  double total_seconds = 0;
};

// The slug, the type where it is not float32, and other inputs than the problem's own.
std::string problem_text(const RunRecord& record);

struct Record : RunRecord {
  Precision required_precision = Precision::fp32;
  Thresholds thresholds;
  Effort effort = Effort::normal;
  std::vector<BaselineRecord> baselines;
  std::string no_baselines;  // which are left out and why; empty: none is
  std::optional<Ceilings> ceilings;
  std::vector<std::string> notes;  // of the run
  std::vector<CandidateRecord> candidates;
  std::string sweep_options;  // of the sweep that graded it, as JSON (sweep/lane.h); empty: there was none
  Location read_from;         // empty: it has just been made

  // Of a record of one.
  const CandidateRecord& candidate() const { return candidates.front(); }
  CandidateRecord& candidate() { return candidates.front(); }
};

bool all_accepted(const Record& record);

// "conv-standard-1d", "conv-standard-1d (float16)": the slug, and the type where it is not float32.
std::string problem_name(const std::string& slug, Dtype dtype);
// Whose results belong together: the GPU model. The emulated device is one model, on however many cores it
// runs (its name says how many).
std::string_view device_model(const DeviceInfo& device);
// Cases of an accepted candidate in which its speed was compared.
std::vector<const CaseRecord*> compared_cases(const CandidateRecord& candidate);
// What the record says about the other record's candidate, which was in the same blocks; null: nothing.
const Neighbour* neighbour_in(const Record& record, const Record& other);
// "cold" or "warm", of the first case that was measured; empty where nothing was.
std::string cache_text(const CandidateRecord& candidate);

// A record a candidate, in their order, each with an equal share of the time.
std::vector<Record> one_a_candidate(Record record);

// The state of this build and this machine.
ToolInfo tool_info();
HostInfo host_info();
std::string utc_now();

}  // namespace kgrade
