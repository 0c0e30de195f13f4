// The record: everything that a run of `kgrade grade` found, unrounded. All printers read it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
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
  std::optional<double> load_average = {};  // over the minute before the run; unset in older records
};

enum class CheckOutcome { passed, failed, not_run };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<CheckOutcome> = {"passed", "failed", "not_run"};

// The result of one named check.
struct Check {
  std::string name;
  CheckOutcome outcome = CheckOutcome::not_run;
  std::string detail;
};

// How much of a speed the referee's clock attests (measure/clock_rule.h).
struct ClockRecord {
  double attested_share = 0;         // median of attested time / counted time of the candidate's samples
  double protocol_ms = 0;            // what the protocol adds to a call, measured on the reference
  std::size_t samples = 0;           // the number of the candidate's samples, and of the reference's
  std::size_t raised_candidate = 0;  // samples of the candidate that count as longer than the worker reported
  std::size_t raised_reference = 0;
};

// A wrong element of an output.
struct WrongElement {
  std::vector<std::int64_t> index;  // in the tensor, one for each dimension
  std::string expected;             // "0.25", "inf", "nan"
  std::string got;                  // like `expected`, or "never written"
};

// How an output is wrong (verify/wrong_output.h).
struct WrongOutput {
  std::string tensor;
  std::uint64_t elements = 0;
  std::uint64_t wrong = 0;
  std::uint64_t never_written = 0;
  std::uint64_t added_to = 0;  // elements that the kernel added to instead of overwriting them
  std::string pattern;         // what the wrong elements have in common; empty if unknown
  std::vector<WrongElement> examples;
};

// A contestant in one case.
struct Arm {
  std::string name;             // "reference", "candidate", or the baseline's
  std::vector<Sample> samples;  // of calls outside blocks, whatever their purpose
  Summary summary;              // over all samples that count, also those in blocks (summarise_arms())
  bool is_beside = false;       // a baseline that does not count: slower, or of another class
};

// What a candidate printed (record/candidate_reports.h).
struct Printed {
  std::vector<std::string> lines;  // the first lines
  std::uint64_t more_lines = 0;    // the number of lines that are left out
  bool cut_off = false;            // there was more output, which kgrade neither kept nor counted
};

// How the rule for errors (verify/judgement.h) judged an output.
struct AppliedRule {
  std::string decided_by;  // where the error came nearest to the bound: "the whole output"
  double bound = 0;        // for the class that the problem asks for
  std::int64_t terms = 1;  // in the longest sum (Case::terms)
};

// Inputs that the grader drew in addition to those of the case's own distribution (draw/input_families.h).
struct DrawnFamilies {
  std::string inputs;  // "x: elements are multiplied by 4"
  bool tells = false;  // false: honest answers to these inputs differ, so the candidate was not called
};

// A case by the rule of the problem's set, in the candidate's first call that was checked (verify/by_set.h).
struct CaseBySet {
  bool accepted = true;
  std::uint64_t failed_elements = 0;  // of all outputs
  std::uint64_t elements = 0;         // of all outputs
  double largest_error = 0;           // infinite: an element is NaN or infinite, and is not expected to be
  SetRule rule;
};

// not_decided: no case was refused, but some case did not come to a call that was checked.
enum class SetVerdict { accepted, wrong_answer, not_decided };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<SetVerdict> = {"accepted", "wrong_answer",
                                                                           "not_decided"};

// The verdict of the problem's set on a candidate, beside the grader's own (verify/by_set.h).
struct CandidateBySet {
  SetVerdict verdict = SetVerdict::accepted;
  int cases = 0;                       // that were judged
  int all_cases = 0;                   // that have a rule, whether they ran or were skipped
  std::vector<std::string> refused;    // the names of the cases that the set refuses
  std::optional<std::string> differs;  // why, if one of the two verdicts accepts and the other refuses
};

struct CaseRecord {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings parameters;  // scalar parameters only
  std::map<std::string, double, std::less<>> real_parameters;
  std::string scales;  // how the case's inputs are scaled, if not as in other cases (scalings_text())
  std::int64_t tensor_bytes = 0;
  std::optional<std::int64_t> flops;
  double weight = 1;  // in scores over cases
  bool run = false;   // false: skipped, see message
  Verdict verdict = Verdict::accepted;
  std::string message;  // what was wrong, or why it did not run
  // For the verdict low_precision: the message if another case shows that the answer is wrong. It is not
  // written to the JSON record.
  std::string message_if_wrong;
  Precision precision = Precision::fp32;
  std::optional<WrongOutput> wrong;     // in the call that gave a wrong answer
  std::optional<Printed> printed;       // in the first call of a sample case; unset if nothing was printed
  double relative_error = 0;            // the worst of all calls; see verify/judgement.h
  double max_scaled_error = 0;          // the worst of all calls; see verify/judgement.h
  std::optional<AppliedRule> rule;      // for the call and output that came nearest to the bound
  std::optional<CaseBySet> by_set;      // unset: there is no rule, or no call was checked
  std::vector<DrawnFamilies> families;  // in the order of the draws
  // Outputs of a Model that are the same, or nearly the same, for other inputs.
  std::vector<std::string> hardly_depends;
  int calls = 0;  // of the candidate; every launch is checked
  // Whether calls on the same contents gave the same bits; unset if no call was repeated. It is not written
  // to the JSON record.
  std::optional<bool> same_bits;
  bool latency_hidden = true;  // in every call of the candidate whose time is a sample
  // In this order: the reference, the baseline that counts (if any), other baselines, the candidate.
  std::vector<Arm> arms = {{"reference", {}, {}}, {"candidate", {}, {}}};
  std::optional<Measurement> measurement;  // set if speed is compared
  std::optional<ClockRecord> clock;        // set if speed is compared and times are speed
  std::vector<std::string> notes;          // on the case's times; the candidate's notes contain them too
  std::optional<CaseRoofline> roofline;    // set if speed is compared and the device's ceilings are known
  // Times of the reference alone on the device, before and after the candidate.
  std::vector<double> reference_before_ms;
  std::vector<double> reference_after_ms;
  double lower_bound_ms = 0;  // the limit that the device's memory and arithmetic set; 0 if unknown
  // For accepted cases, if times are speed: the speedup over the reference, then over the fastest baseline of
  // the candidate's class (if any).
  std::vector<Speedup> speedups;
  // The speedup that counts: the last one.
  const Speedup* headline() const { return speedups.empty() ? nullptr : &speedups.back(); }
  std::vector<Speedup> others;  // over the other baselines, in the order of their arms

  const Arm& candidate() const { return arms.back(); }
  Arm& candidate() { return arms.back(); }
  const Arm& reference() const { return arms.front(); }
  Arm& reference() { return arms.front(); }
};

// Times of calls outside blocks, in their order.
std::vector<double> times_for(const Arm& arm, Purpose purpose);
// The samples of an arm, two per block, including void blocks. If there are no blocks, the samples with the
// purpose `compared`.
std::vector<Sample> samples_of(const CaseRecord& record, std::size_t arm);
// The counted times of an arm, without void blocks.
std::vector<double> counted_times(const CaseRecord& record, std::size_t arm);
void summarise_arms(CaseRecord& record);

// The libraries that a contestant uses, by file name.
struct LibraryUse {
  std::vector<std::string> linked;  // in the order of the built library
  std::vector<std::string> opened;  // at run time, except libraries that every worker has; sorted
};

// From the first line to the last one, counted from 1.
struct LineRange {
  int first = 0;
  int last = 0;
};

// Details of a candidate in Python.
struct PythonRecord {
  std::string entry;  // "solution", "ModelNew"
  // True for a module. A module prepares its weights once, but a kernel prepares them in each call. So
  // comparisons keep modules and kernels apart.
  bool is_module = false;
  std::string interpreter;  // "3.11.7"
  std::string torch;        // "2.11.0"
  std::string triton;       // empty if there is none
  // The kinds of headers that its extensions were built with: "small" means kgrade's own headers, "torch"
  // means PyTorch's. Empty if it has no extensions.
  std::vector<std::string> headers;
  // The computing functions of PyTorch that it called in its rehearsal, as far as PyTorch shows them.
  std::vector<std::string> functions;
};

// Candidates that were graded side by side (grade/heat.h).
struct HeatRecord {
  int number = 1;      // among the heats of a run
  int candidates = 2;  // in this heat
};

// Another candidate of the same heat. In every measured case, both were called in the same blocks.
struct Neighbour {
  std::string path;
  std::string sha256;
  SuiteScore speedup;  // over all cases, as in scores; above 1: the candidate is faster
  std::vector<ComparedCase> cases;
};

struct CandidateRecord {
  std::string path;
  std::string sha256;
  std::optional<LineRange> lines;     // the graded lines of a document; unset: the whole file
  std::optional<std::uint64_t> seed;  // of its tensors' contents in the last attempt; unset in old records
  std::optional<HeatRecord> heat;     // in which the verdict was found; unset if it ran alone
  Verdict verdict = Verdict::accepted;
  std::string message;
  Precision precision = Precision::fp32;  // the worst class of all cases
  std::optional<CandidateBySet> by_set;   // unset: no case has a rule
  // Whether all calls on the same contents gave the same bits; unset if no call was repeated.
  std::optional<bool> deterministic;
  std::vector<Score> scores;  // if accepted: over contestants of its class; the last one counts
  const Score* headline() const { return scores.empty() ? nullptr : &scores.back(); }
  std::vector<Score> by_baseline;     // do not count: over each baseline, over a reference of a better class
  std::vector<Neighbour> neighbours;  // if accepted: the heat's other accepted candidates of its class
  std::string compiler_log;
  double compile_seconds = 0;          // of the compiler, now or when the contestant was cached
  bool compile_cached = false;         // it was built earlier
  std::optional<PythonRecord> python;  // unset: CUDA C++
  bool is_module() const { return python && python->is_module; }
  LibraryUse libraries;
  // The matrix units that its own GPU code uses (compile/matrix_units.h), sorted: "bf16 (HGMMA)". Empty: it
  // uses none. Unset: not known, or no tensor of the problem has 16 bits or fewer.
  std::optional<std::vector<std::string>> matrix_units;
  TelemetrySummary telemetry;      // of the device, while this candidate was graded
  std::vector<std::string> notes;  // worth knowing in addition to the verdict
  std::vector<Check> checks;
  std::vector<CaseRecord> cases;
};

struct ReferenceRecord {
  std::string path;
  std::string sha256;

  // True if the reference is the Model of a Python file, in eager mode and without TF32. For other problems,
  // PyTorch in eager mode is the baseline pytorch-fp32.
  bool is_pytorch() const { return path.ends_with(".py"); }
};

// A vendor's library or a module of PyTorch, in the cases whose speed is measured.
struct BaselineRecord {
  std::string name;          // "cudnn-fp32"
  std::string library = {};  // "cuDNN 9.19.0"; empty if it calls none, or in older records
  std::string path = {};
  std::string sha256 = {};
  std::string problem = {};  // why it was not compared; empty if it was
  std::vector<BaselineCase> cases = {};
};

struct StageTime {
  std::string name;
  double seconds = 0;
};

// How compilers and workers were confined.
struct SandboxRecord {
  bool confined = false;  // each had its own file system, network and processes: Sandbox::confines()
  std::vector<SandboxLayer> layers;  // missing layers too; empty: there was no sandbox at all
};

// The part of a record that all commands share.
struct RunRecord {
  ToolInfo tool;
  std::string started_at;  // ISO 8601, UTC
  HostInfo host;
  DeviceInfo device;
  SandboxRecord sandbox;
  std::string problem_slug;
  std::string problem_title;
  std::string problem_sha256;
  std::string problem_path = {};  // into a public set; empty: the problem is from no set
  // The problem as the user named it, for the commands that kgrade prints. Not written to the JSON record,
  // and so empty after reading one.
  std::string problem_named = {};
  Dtype dtype = Dtype::float32;                         // the type of [VAR]
  std::optional<std::vector<std::string>> inputs = {};  // of --inputs; unset: the problem's own
  bool clears_outputs = false;  // before each call, though the problem does not promise it
  ReferenceRecord reference;
  std::string toolchain;  // compiler, version and flags
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> hidden_seed;  // with which hidden cases were drawn
  std::vector<StageTime> stages;             // wall seconds; compiling and preparing the device overlap
  double total_seconds = 0;
};

// The slug, the type unless it is float32, and the inputs unless they are the problem's own.
std::string problem_text(const RunRecord& record);

struct Record : RunRecord {
  Precision required_precision = Precision::fp32;
  Thresholds thresholds;
  Effort effort = Effort::normal;
  std::vector<BaselineRecord> baselines;
  std::string no_baselines;  // which baselines are left out and why; empty if none is
  std::optional<Ceilings> ceilings;
  std::vector<std::string> notes;  // on the run
  std::vector<CandidateRecord> candidates;
  std::string options;  // of a run over many candidates, as JSON (shared_json.h); empty in other runs
  Location read_from;   // empty if the record was just made

  // For a record of one candidate.
  const CandidateRecord& candidate() const { return candidates.front(); }
  CandidateRecord& candidate() { return candidates.front(); }
};

bool all_accepted(const Record& record);

// "conv-standard-1d", "conv-standard-1d (float16)": the slug, and the type unless it is float32.
std::string problem_name(const std::string& slug, Dtype dtype);
// The GPU model: results of one model belong together. A device on the CPU is one model, whatever number of
// cores its name contains.
std::string_view device_model(const DeviceInfo& device);
// The cases of an accepted candidate in which its speed was compared.
std::vector<const CaseRecord*> compared_cases(const CandidateRecord& candidate);
// What the record says about the other record's candidate, if both were in the same blocks. Null otherwise.
const Neighbour* neighbour_in(const Record& record, const Record& other);
// "cold" or "warm", from the first measured case. Empty if no case was measured.
std::string cache_text(const CandidateRecord& candidate);

// One record per candidate, in their order. Each gets an equal share of the total time.
std::vector<Record> one_a_candidate(Record record);

// The state of this build and this machine.
ToolInfo tool_info();
HostInfo host_info();
std::string utc_now();

}  // namespace kgrade
