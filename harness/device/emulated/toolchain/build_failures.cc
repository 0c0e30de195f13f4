#include "device/emulated/toolchain/build_failures.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/with_commas.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "device/emulated/rewriter/unsupported.h"

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

// The place "x.cu:12" in the line "x.cu:12:3: error: ...". Nothing if the line has another form.
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

namespace {

// The type in the form "float*". clang writes "float *".
std::string type_as_written(std::string type) { return replace_all(std::move(type), " *", "*"); }

std::optional<std::string> what_is_wrong(const std::string& error) {
  static const std::regex argument(R"(launch_argument_mismatch<([0-9]+)[uUlL]*, ([^,'"]+), ([^,'"]+)>['"])");
  static const std::regex count(R"(launch_count_mismatch<([0-9]+)[uUlL]*, ([0-9]+)[uUlL]*>['"])");
  static const std::regex shared(
      R"(static_shared_memory_exceeded<([0-9]{1,18})[uUlL]*, ([0-9]{1,18})[uUlL]*>['"])");
  std::smatch match;
  if (std::regex_search(error, match, argument)) {
    return fmt::format("argument {} of the launch is {}, the kernel's parameter is {}", match[1].str(),
                       type_as_written(match[2]), type_as_written(match[3]));
  }
  if (std::regex_search(error, match, count)) {
    return fmt::format("the launch has {} arguments, the kernel has {} parameters", match[1].str(),
                       match[2].str());
  }
  if (std::regex_search(error, match, shared)) {
    return fmt::format(
        "{} bytes of static shared memory, of at most {}; for more, write `extern __shared__ float "
        "name[];`, allow it with cudaFuncSetAttribute, and pass its bytes as the third launch "
        "parameter",
        with_commas(std::stoull(match[1].str())), with_commas(std::stoull(match[2].str())));
  }
  if (error.find("launch_argument_mismatch<") != std::string::npos)
    return "an argument of the launch does not convert to the kernel's parameter";
  if (error.find("launch_without_kernel<") != std::string::npos)
    return "there is no kernel of this name that takes the arguments of the launch";
  if (error.find("call to 'shared_variable<") != std::string::npos ||
      error.find("function for call to 'shared_variable'") != std::string::npos) {
    return "the size of a __shared__ array must be a constant; for one that the launch sets, write "
           "`extern __shared__ float name[];` and pass its bytes as the third launch parameter";
  }
  return std::nullopt;
}

// The place "mine.cu:5" in the line "mine.cu:5:382:   required from here".
std::string place_in(const std::string& line) {
  static const std::regex place(R"(^([^:]+:[0-9]+):)");
  std::smatch match;
  return std::regex_search(line, match, place) ? match[1].str() : "";
}

// The place in the source that uses the failing template. g++ prints this place before the error, and clang
// prints it after the error.
std::string place_of(const std::string& log, const std::string& error) {
  std::string place = place_in(error);
  bool is_behind = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (is_behind && line.find(" error: ") != std::string::npos) break;
    if (trimmed(line) == error) is_behind = true;
    if (line.ends_with(is_behind ? "requested here" : "required from here")) place = place_in(line);
  }
  return place;
}

}  // namespace

std::optional<std::string> error_in_cudas_words(const std::string& log) {
  const std::string error = first_error_line(log);
  const auto what = what_is_wrong(error);
  if (!what) return std::nullopt;
  return fmt::format("{}: error: {}", place_of(log, error), *what);
}

}  // namespace kgrade
