#include "verify/call_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/defences.h"
#include "base/text.h"

namespace kgrade {
namespace {

// cudaError_t values by which a kernel ends (CUDA Runtime API, "CUDA error types"); they are part of the ABI.
constexpr int cuda_memory_allocation = 2;
constexpr int cuda_invalid_configuration = 9;
constexpr int cuda_too_many_resources = 701;
constexpr std::array<int, 9> cuda_device_faults = {214, 700, 710, 714, 715, 716, 717, 718, 719};

std::string error_name(int error) {
  switch (error) {
    case 1:
      return "invalid argument";
    case cuda_memory_allocation:
      return "out of memory";
    case cuda_invalid_configuration:
      return "invalid launch configuration";
    case 98:
      return "invalid device function";
    case 209:
      return "no kernel image for this device";
    case 700:
      return "illegal memory access";
    case cuda_too_many_resources:
      return "too many resources requested for launch";
    case 702:
      return "launch timed out";
    case 710:
      return "device-side assert";
    case 714:
      return "hardware stack error";
    case 715:
      return "illegal instruction";
    case 716:
      return "misaligned address";
    case 717:
      return "operation on an invalid address space";
    case 718:
      return "invalid program counter";
    case 719:
      return "unspecified launch failure";
    default:
      return "see cudaError_t";
  }
}

std::optional<CallFinding> review_fault(const CallReport& report) {
  switch (report.fault) {
    case Fault::none:
      return std::nullopt;
    case Fault::time_limit:
      return CallFinding{Verdict::time_limit, "completion", report.detail};
    case Fault::no_memory:
    case Fault::memory_limit:
      return CallFinding{Verdict::memory_limit, "memory", report.detail};
    case Fault::cannot_load:
      return CallFinding{Verdict::runtime_error, "load", report.detail};
    case Fault::malformed:
      return CallFinding{Verdict::cheating, "protocol", report.detail};
    case Fault::busy:
      return CallFinding{
          Verdict::cheating, "idle",
          "work of the call goes on, on the device or beside it, when its time has been taken"};
    case Fault::ended:
    case Fault::device_failed:
    case Fault::stack_overflow:
      break;
  }
  return CallFinding{Verdict::runtime_error, "completion", report.detail};
}

std::optional<CallFinding> review_cuda_error(const CallReport& report) {
  const int error = report.cuda_error;
  if (error == 0) return std::nullopt;
  std::string message = fmt::format("CUDA error {} ({}) after the call", error, error_name(error));
  if (error == cuda_memory_allocation && report.memory_limit_bytes > 0)
    message += fmt::format(": a process may allocate {}", format_bytes(report.memory_limit_bytes));
  if (error == cuda_memory_allocation) return CallFinding{Verdict::memory_limit, "memory", message};
  return CallFinding{Verdict::runtime_error, "device_errors", message};
}

// No clock has such a time: the message is forged.
std::optional<CallFinding> review_clock(const CallReport& report) {
  if (!is_on(Defence::clock_agreement)) return std::nullopt;
  if (std::isfinite(report.elapsed_ms) && report.elapsed_ms > 0) return std::nullopt;
  return CallFinding{Verdict::cheating, "clock", fmt::format("the worker reports {} ms", report.elapsed_ms)};
}

std::optional<CallFinding> review_rest(const CallReport& report) {
  if (report.threads_left == 0 || !is_on(Defence::host_threads)) return std::nullopt;
  return CallFinding{
      Verdict::cheating, "idle",
      fmt::format("{} of its own {} left when a call is over", counted(report.threads_left, "thread"),
                  report.threads_left == 1 ? "is" : "are")};
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

std::optional<CallFinding> review_call(const CallReport& report) {
  if (auto finding = review_fault(report)) return finding;
  if (auto finding = review_cuda_error(report)) return finding;
  if (auto finding = review_corruption(report.corruption)) return finding;
  if (auto finding = review_clock(report)) return finding;
  return review_rest(report);
}

bool is_crash(const CallReport& report) {
  return report.fault == Fault::ended || report.fault == Fault::device_failed ||
         std::find(cuda_device_faults.begin(), cuda_device_faults.end(), report.cuda_error) !=
             cuda_device_faults.end();
}

CallFinding explain_crash(const CallFinding& finding, const Lease::Corruption& corruption) {
  const auto more = review_corruption(corruption);
  if (!more) return finding;
  return {more->verdict, more->check, fmt::format("{} ({})", more->message, finding.message)};
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

Error trusted_failure(std::string_view who, const Case& bound, const std::string& why) {
  return {fmt::format("the {} fails on case '{}': {}", who, bound.name, why),
          "this is no fault of the candidate: check the reference source, or report it",
          {}};
}

}  // namespace kgrade
