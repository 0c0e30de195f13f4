#include "device/emulated/toolchain/build_failures.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "device/emulated/rewriter/unsupported.h"
#include "device/emulated/toolchain/launch_errors.h"

namespace kgrade {
namespace {

BuildOutcome unsupported_outcome(const Error& error) {
  BuildOutcome outcome;
  outcome.status = BuildStatus::unsupported;
  outcome.message =
      fmt::format("{}:{}: {}; {}", error.location.file, error.location.line, error.message, error.remedy);
  outcome.log = to_string(error);
  return outcome;
}

// "x.cu:12" of "x.cu:12:3: error: ..."; nothing if the line begins otherwise.
std::optional<Location> place_of_error(std::string_view line) {
  const std::size_t name_end = line.find(':');
  if (name_end == line.npos || name_end == 0) return std::nullopt;
  const std::string_view rest = line.substr(name_end + 1);
  int number = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (failure != std::errc{} || number < 0 || !behind.starts_with(':')) return std::nullopt;
  if (behind.find("error:") == behind.npos) return std::nullopt;
  return Location{std::string(line.substr(0, name_end)), number, 0};
}

// The line of a marker (device/emulated/rewriter/unsupported.h) that was compiled: "x.cu:12:3: error: ...".
std::optional<BuildOutcome> marked_unsupported(const std::string& log) {
  const std::string_view mark = emulated::unsupported_mark;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(line).substr(at + mark.size());
    const std::string what(trimmed(rest.substr(0, rest.find('"'))));
    const auto place = place_of_error(std::string_view(line).substr(0, at));
    if (!place || !emulated::is_marker_text(what)) continue;
    return unsupported_outcome(emulated::unsupported_error(what, *place));
  }
  return std::nullopt;
}

}  // namespace

BuildOutcome rewrite_failure(const Error& error) {
  if (error.remedy == emulated::unsupported_remedy) return unsupported_outcome(error);
  BuildOutcome outcome;
  outcome.machine_fault = possible_machine_fault(error.message);
  outcome.message = to_string(Error{error.message, "", error.location});
  outcome.log = to_string(error);
  return outcome;
}

Error rewriter_failure(const BuildRequest& request, const ProcessLimits& limits,
                       const ProcessOutcome& process) {
  const std::string end = process.signal != 0 ? fmt::format("signal {}", process.signal)
                                              : fmt::format("exit code {}", process.exit_code);
  const std::string why = exceeded_limit(process, limits).value_or("kgrade-rewrite ended with " + end);
  return Error{"cannot be rewritten for the emulated device: " + why, "", {request.shown_as, 0, 0}};
}

void judge_failure(const Problem* problem, Dtype dtype, const ProcessLimits& limits,
                   const ProcessOutcome& process, BuildOutcome& outcome) {
  outcome.machine_fault = possible_machine_fault(process);
  outcome.ran_out_of_time = process.timed_out;
  if (const auto limit = exceeded_limit(process, limits)) {
    outcome.message = *limit;
    return;
  }
  if (auto unsupported = marked_unsupported(outcome.log)) {
    outcome.status = unsupported->status;
    outcome.message = unsupported->message;
    return;
  }
  const auto complaint =
      problem != nullptr ? signature_complaint(*problem, outcome.log, dtype) : std::nullopt;
  if (complaint) {
    outcome.status = BuildStatus::signature_mismatch;
    outcome.message = *complaint;
    return;
  }
  if (auto error = error_in_cudas_words(outcome.log)) {
    outcome.message = std::move(*error);
    outcome.log = outcome.message + "\n";
    return;
  }
  outcome.message = first_error_line(outcome.log);
}

}  // namespace kgrade
