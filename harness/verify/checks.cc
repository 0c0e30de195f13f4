#include "verify/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "base/defences.h"
#include "base/text.h"
#include "device/device.h"
#include "problem/module_file.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// cudaError_t values (CUDA Runtime API, "CUDA error types"); they are part of the ABI.
struct CudaError {
  int value;
  const char* words;
  bool is_device_fault = false;  // it ends a kernel
};
constexpr int cuda_invalid_value = 1;
constexpr int cuda_memory_allocation = 2;
constexpr const char* no_words = "see cudaError_t";
constexpr bool device_fault = true;
constexpr CudaError cuda_errors[] = {
    {cuda_invalid_value, "invalid argument"},
    {cuda_memory_allocation, "out of memory"},
    {9, "invalid launch configuration"},
    {98, "invalid device function"},
    {209, "no kernel image for this device"},
    {214, no_words, device_fault},  // cudaErrorECCUncorrectable
    {700, "illegal memory access", device_fault},
    {701, "too many resources requested for launch"},
    {702, "launch timed out"},
    {710, "device-side assert", device_fault},
    {714, "hardware stack error", device_fault},
    {715, "illegal instruction", device_fault},
    {716, "misaligned address", device_fault},
    {717, "operation on an invalid address space", device_fault},
    {718, "invalid program counter", device_fault},
    {719, "unspecified launch failure", device_fault},
};

CudaError cuda_error(int value) {
  const auto found = std::find_if(std::begin(cuda_errors), std::end(cuda_errors),
                                  [value](const CudaError& error) { return error.value == value; });
  return found != std::end(cuda_errors) ? *found : CudaError{value, no_words};
}

std::optional<CallFinding> review_cuda_error(const CallReport& report) {
  const int error = report.call.error;
  if (error == 0) return std::nullopt;
  std::string message =
      report.call.failed_launch.error == error
          ? failed_launch_text(report)
          : fmt::format("CUDA error {} ({}) after the call", error, cuda_error(error).words);
  if (error == cuda_memory_allocation && report.call.limit_bytes > 0)
    message += fmt::format(": a process may allocate {}", format_bytes(report.call.limit_bytes));
  if (error == cuda_memory_allocation) return CallFinding{Verdict::memory_limit, "memory", message};
  return CallFinding{Verdict::runtime_error, "device_errors", message};
}

std::optional<CallFinding> review_rest(const CallReport& report) {
  if (report.processes_left > 0 && is_on(Defence::host_threads)) {
    return CallFinding{
        Verdict::cheating, "idle",
        fmt::format(
            "{} that it has started {} left when a call is over",
            report.processes_left == 1 ? "a process" : fmt::format("{} processes", report.processes_left),
            report.processes_left == 1 ? "is" : "are")};
  }
  if (report.threads_left == 0 || !is_on(Defence::host_threads)) return std::nullopt;
  return CallFinding{
      Verdict::cheating, "idle",
      fmt::format("{} of its own {} left when a call is over", counted(report.threads_left, "thread"),
                  report.threads_left == 1 ? "is" : "are")};
}

// The class that a reference has to reach.
Precision required_of_reference(const Problem& problem) {
  if (!problem.has_model()) return Precision::fp32;
  return problem.dtype == Dtype::float32 ? precision_from(problem.precision) : Precision::bf16;
}

std::optional<CallFinding> review_corruption(const Lease::Corruption& corruption) {
  if (corruption.guard_bytes > 0) {
    return CallFinding{Verdict::out_of_bounds, "guard_zones",
                       fmt::format("{} written outside of '{}'", counted(corruption.guard_bytes, "byte"),
                                   corruption.guard_tensor)};
  }
  if (corruption.input_elements > 0) {
    return CallFinding{Verdict::input_modified, "inputs_unchanged",
                       fmt::format("{} of input '{}' changed", counted(corruption.input_elements, "element"),
                                   corruption.input_tensor)};
  }
  return std::nullopt;
}

}  // namespace

CheckList::CheckList() {
  for (const std::string_view name : check_names)
    checks_.push_back({std::string(name), CheckOutcome::not_run, ""});
}

void CheckList::pass_before(std::string_view name) {
  for (Check& check : checks_) {
    if (check.name == name) return;
    if (check.outcome == CheckOutcome::not_run) check.outcome = CheckOutcome::passed;
  }
}

void CheckList::pass_all() { pass_before(first_occasional_check); }

void CheckList::pass(std::string_view name) {
  for (Check& check : checks_) {
    if (check.name == name && check.outcome == CheckOutcome::not_run) check.outcome = CheckOutcome::passed;
  }
}

void CheckList::fail(std::string_view name, const std::string& detail) {
  pass_before(std::find(check_names.begin(), check_names.end(), name) <
                      std::find(check_names.begin(), check_names.end(), first_occasional_check)
                  ? name
                  : first_occasional_check);
  const auto check =
      std::find_if(checks_.begin(), checks_.end(), [&](const Check& c) { return c.name == name; });
  if (check == checks_.end()) throw std::logic_error("no check named " + std::string(name));
  if (check->outcome == CheckOutcome::failed) return;
  check->outcome = CheckOutcome::failed;
  check->detail = detail;
}

void CheckList::withdraw(std::string_view name) {
  for (Check& check : checks_) {
    if (check.name == name) check = {check.name, CheckOutcome::not_run, ""};
  }
}

std::string_view check_behind(Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:
    case Verdict::unsupported:
      return "compile";
    case Verdict::signature_mismatch:
      return "signature";
    case Verdict::time_limit:
      return "completion";
    case Verdict::runtime_error:
      return "device_errors";
    case Verdict::memory_limit:
      return "memory";
    case Verdict::out_of_bounds:
      return "guard_zones";
    case Verdict::input_modified:
      return "inputs_unchanged";
    case Verdict::low_precision:
      return "precision";
    case Verdict::cheating:
      return "clock";
    case Verdict::unstable:
      return "reference_agreement";
    case Verdict::accepted:
    case Verdict::wrong_answer:
      break;
  }
  return "outputs_match";
}

std::string failed_launch_text(const CallReport& report) {
  const int error = report.call.failed_launch.error;
  if (error == 0) return "";
  const char* const usual =
      error == cuda_invalid_value ? ": more dynamic shared memory than the kernel may have, for one" : "";
  const std::string text = fmt::format("a launch failed: CUDA error {} ({}", error, cuda_error(error).words);
  return report.detail.empty() ? text + usual + ")" : fmt::format("{}): {}", text, report.detail);
}

std::string with_failed_launch(const std::string& launch, const std::string& message) {
  return launch.empty() ? message : fmt::format("{}; {}", launch, message);
}

CallFinding finding_of(Fault fault, const std::string& detail) {
  const FaultMeaning meaning = meaning_of(fault);
  constexpr const char* busy =
      "the device is still busy long after the call: grade again when nothing else uses it, and look for "
      "kernels that the candidate leaves running";
  return {meaning.verdict, meaning.check, fault == Fault::busy ? busy : detail, fault == Fault::killed};
}

void forgive_threads(CallReport& report) { report.threads_left = report.processes_left = 0; }

std::optional<CallFinding> review_call(const CallReport& report) {
  if (report.fault != Fault::none) return finding_of(report.fault, report.detail);
  if (auto finding = review_cuda_error(report)) return finding;
  if (auto finding = review_corruption(report.corruption)) return finding;
  // A clock gives only finite and positive times, so any other time is forged.
  const bool is_time = std::isfinite(report.call.elapsed_ms) && report.call.elapsed_ms > 0;
  if (!is_time && is_on(Defence::clock_agreement))
    return CallFinding{Verdict::cheating, "clock",
                       fmt::format("the worker reports {} ms", report.call.elapsed_ms)};
  return review_rest(report);
}

bool is_crash(const CallReport& report) {
  return report.fault == Fault::ended || report.fault == Fault::killed ||
         report.fault == Fault::device_failed || cuda_error(report.call.error).is_device_fault;
}

CallFinding explain_crash(const CallFinding& finding, const Lease::Corruption& corruption) {
  const auto more = review_corruption(corruption);
  if (!more) return finding;
  return {more->verdict, more->check, fmt::format("{} ({})", more->message, finding.message), finding.killed};
}

std::string coordinates(std::uint64_t index, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    const auto size = static_cast<std::uint64_t>(*extent);
    text = fmt::format("{}{}{}", index % size, text.empty() ? "" : ", ", text);
    index /= size;
  }
  return "[" + text + "]";
}

std::string coordinates_of_worst(const OutputErrors& output) {
  const ElementErrors& errors = output.errors;
  const bool is_in_slice = errors.max_difference_in_slice > errors.max_scaled_difference;
  const std::uint64_t worst = is_in_slice ? errors.worst_index_in_slice : errors.worst_index;
  return coordinates(errors.nonfinite_mismatches > 0 ? errors.first_nonfinite_mismatch : worst, output.shape);
}

Blame blame_for_trusted(const CallFinding& finding) {
  const bool is_machine = finding.killed || finding.verdict == Verdict::memory_limit;
  return is_machine ? Blame::machine : Blame::user;
}

Blame blame_for_trusted(const Answer& failed) {
  return blame_for_trusted(finding_of(failed.fault, failed.detail));
}

Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound,
                      const CallFinding& finding) {
  const std::string what = fmt::format("the {} fails on case '{}': {}", who, bound.name, finding.message);
  if (blame_for_trusted(finding) == Blame::machine)
    return machine_error(
        what,
        "this is no fault of the candidate: end programs that take memory, or leave the case out; where the "
        "kernel ended a process because memory ran out, `dmesg` says so");
  const CaseSpec* const spec = problem.find_case(bound.name);
  return {what,
          problem.has_model() && problem.dtype != Dtype::float32 && !problem.keeps_types()
              ? fmt::format(
                    "this is no fault of the candidate: `Model` does not run in {}; choose another --dtype",
                    to_string(problem.dtype))
              : "this is no fault of the candidate: mend the problem's reference or this case; `kgrade lint` "
                "checks both",
          spec != nullptr ? spec->location : Location{problem.path.string(), 0, 0}};
}

Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound, const Answer& lent) {
  return trusted_failure(who, problem, bound, finding_of(lent.fault, lent.detail));
}

Judgement judge_reference(const OutputErrors& output, std::size_t index, const Problem& problem,
                          const Case& bound, const ExpectedScales& scales) {
  Thresholds bounds = error_bounds(problem, bound, index);
  if (problem.has_model() && problem.dtype != Dtype::float32)
    bounds.bf16 = std::max(bounds.tf32, problem.thresholds_of(output.tensor).bf16 / 2);
  OutputErrors whole = output;
  whole.errors.max_difference_in_slice = 0;
  return judge(whole, bounds, required_of_reference(problem), scales.usual(index));
}

bool is_precise_as_a_whole(const OutputErrors& output, std::size_t index, const Problem& problem,
                           const Case& bound, const ExpectedScales& scales) {
  OutputErrors whole = output;
  whole.errors.varying = whole.errors.smaller = {};
  whole.errors.common = whole.errors.max_scaled_difference = 0;
  return judge_reference(whole, index, problem, bound, scales).verdict == Verdict::accepted;
}

std::string other_inputs_of(const Problem& problem) {
  if (problem.torch && !problem.torch->random.empty())
    return "its numbers are random: let the file define check(inputs, outputs)";
  return is_module_file(problem.path) ? "give it other inputs, as with --inputs 'normal(0, 2)'"
                                      : "give it other inputs, as with `init: normal(0, 2)`";
}

std::string why_ill_conditioned(const Problem& problem, const std::string& output,
                                const Judgement& judgement) {
  if (problem.is_exact())
    return fmt::format(
        "'{}' is not exact: what Model gives in {} differs from float64; no candidate can be judged", output,
        to_string(problem.dtype));
  const std::string_view asked = to_string(required_of_reference(problem));
  const std::string_view dtype = to_string(problem.dtype);
  const std::string how =
      judgement.decided_by == ErrorFigure::element
          ? fmt::format("single elements of Model in {} are off from float64 by more than {} allows", dtype,
                        asked)
          : fmt::format("Model in {} is off by {:.1e} from float64, and {} allows {:.0e}", dtype,
                        judgement.relative_error, asked, judgement.element_limit / element_factor);
  return fmt::format("'{}' is ill-conditioned: {}; no candidate can be judged in this class", output, how);
}

Error ill_conditioned(const Problem& problem, const Case& bound, const std::string& output,
                      const Judgement& judgement) {
  const Precision asked = precision_from(problem.precision);
  const CaseSpec* const spec = problem.find_case(bound.name);
  const bool has_lower = asked == Precision::fp32 && problem.dtype == Dtype::float32;
  return {fmt::format("case '{}': {}", bound.name, why_ill_conditioned(problem, output, judgement)),
          (has_lower ? "ask for a lower class with `# kgrade: precision tf32`, or " : "") +
              other_inputs_of(problem),
          spec != nullptr ? spec->location : Location{problem.path.string(), 0, 0}};
}

Error without_numbers(const Problem& problem, const Case& bound, const std::string& output) {
  const CaseSpec* const spec = problem.find_case(bound.name);
  return {
      fmt::format("case '{}': '{}' has no finite element; no candidate can be judged", bound.name, output),
      other_inputs_of(problem), spec != nullptr ? spec->location : Location{problem.path.string(), 0, 0}};
}

std::optional<std::string> forbidden_library(Libraries allowed, const LibraryUse& used) {
  if (allowed == Libraries::any || !is_on(Defence::declared_libraries)) return std::nullopt;
  for (const auto& [names, verb] : {std::pair{&used.linked, "links"}, std::pair{&used.opened, "opens"}}) {
    const auto forbidden = std::find_if_not(names->begin(), names->end(), [](const std::string& name) {
      return is_allowed_without_libraries(name);
    });
    if (forbidden != names->end())
      return fmt::format("{} {}, and the problem allows no libraries", verb, *forbidden);
  }
  return std::nullopt;
}

}  // namespace kgrade
