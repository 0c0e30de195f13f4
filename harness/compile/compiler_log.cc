#include "compile/compiler_log.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <regex>
#include <sstream>

#include "base/machine_faults.h"
#include "base/text.h"
#include "record/compiler_output.h"
#include "sandbox/policy.h"

namespace kgrade {
namespace {

// Whether the line is a message of a program of the toolchain about itself. Messages about a source begin
// with its place, and they and the indented lines after them may quote any text.
bool is_about_a_program(const std::string& line) {
  if (line.starts_with(" ")) return false;
  static const std::regex place(R"((:[0-9]+|\([0-9]+\)): )");
  return !std::regex_search(line, place) || line.ends_with("): catastrophic error: out of memory");
}

// The first line that contains any of the phrases, and that `counts`.
template <std::size_t Count>
std::optional<std::string> line_with_any(
    const std::string& log, const std::array<std::string_view, Count>& phrases,
    bool (*counts)(const std::string& line) = [](const std::string&) { return true; }) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const bool found = std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
      return line.find(phrase) != std::string::npos;
    });
    if (found && counts(line)) return std::string(trimmed(line));
  }
  return std::nullopt;
}

template <std::size_t Count>
bool names_any(const std::string& log, const std::array<std::string_view, Count>& phrases) {
  return line_with_any(log, phrases, is_about_a_program).has_value();
}

// 25, 9 and 24 are SIGXFSZ, SIGKILL and SIGXCPU.
constexpr std::array<std::string_view, 3> file_size_phrases = {"File size limit exceeded", "File too large",
                                                               "due to signal 25"};
constexpr std::array<std::string_view, 6> memory_phrases = {
    "out of memory",          "memory exhausted",          "std::bad_alloc",
    "Cannot allocate memory", "Memory allocation failure", "memory allocation failed"};
constexpr std::array<std::string_view, 2> process_phrases = {"fork: Resource temporarily unavailable",
                                                             "fork: retry: Resource temporarily unavailable"};
constexpr std::array<std::string_view, 2> time_phrases = {"CPU time limit exceeded", "due to signal 24"};
constexpr std::array<std::string_view, 3> kill_phrases = {
    "Killed signal terminated program", "due to signal 9", "unable to execute command: Killed"};

constexpr std::array<std::string_view, 2> room_phrases = {"No space left on device", "Disk quota exceeded"};
constexpr std::array<std::string_view, 1> start_phrases = {"Resource temporarily unavailable"};
constexpr std::array<std::string_view, 5> missing_phrases = {"Failed to preprocess host compiler properties",
                                                             "cannot execute ", "error trying to exec",
                                                             "cannot find 'ld'", "sh: 1: "};
constexpr std::array<std::string_view, 4> signal_phrases = {"signal terminated program",
                                                            "terminated with signal", "died due to signal",
                                                            "unable to execute command:"};

Error fault(const std::string& what, const std::string& remedy) {
  return machine_error("the compiler cannot work on this machine: " + what, remedy);
}

Error lack_of_memory() { return fault("it finds no memory", remedy_for_machine(ENOMEM)); }

Error end_by_signal(const std::string& what) {
  return fault("it was ended by a signal: " + what,
               "run the command again; `dmesg` says whether the kernel ended it because memory ran out");
}

std::string memory_text(const ProcessLimits& limits) {
  return limits.address_space_bytes > 0
             ? fmt::format("the {} of memory that it may have", format_bytes(limits.address_space_bytes))
             : "the memory of this machine";
}

std::string left_out(std::size_t errors, std::size_t lines, bool gave_up) {
  const std::string more_lines = counted(lines, "more line");
  if (errors == 0) return fmt::format("... and {}\n", more_lines);
  return fmt::format("... and {} in {}{}\n", counted(errors, "more error"), more_lines,
                     gave_up ? "; the compiler gave up there" : "");
}

}  // namespace

std::string first_error_line(const std::string& log) {
  std::istringstream lines(log);
  std::string first, of_unit;
  for (std::string line; std::getline(lines, line);) {
    const std::string text(trimmed(line));
    if (first.empty()) first = text;
    if (!reports_error(line)) continue;
    if (!text.starts_with(unit_name)) return text;
    if (of_unit.empty()) of_unit = text;
  }
  if (!of_unit.empty()) return of_unit;
  return first.empty() ? "the compiler failed without a message" : first;
}

bool says_that_something_is_missing(const std::string& log) {
  static const std::regex twice(
      "redefinition of|multiple definition of|has already been defined|has already been declared|redeclared|"
      "redeclaration of|conflicting declaration");
  static const std::regex missing(
      "no such file|file not found|cannot open source file|not declared|not been declared|is undefined|"
      "undeclared|undefined reference|undefined symbol|not a member|has no member|no member named|"
      "does not name a type|is not a type|not a template|not a class|not a namespace|no matching|no match "
      "for|"
      "no instance of|no operator|no suitable|cannot convert|could not convert|incomplete type|too many|too "
      "few|"
      "deleted function|not callable|cannot be used as|is ambiguous|invalid|"
      "\\b(torch|at|c10|caffe2|pybind11|py)::|PYBIND11|TORCH_|\\bTensor\\b",
      std::regex::icase);
  std::istringstream lines(log);
  bool is_missing = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_of_linker = line.find(": undefined reference to ") != line.npos ||
                              line.find(": multiple definition of ") != line.npos;
    if (!is_of_linker && !reports_error(line)) continue;
    // An error that names kgrade_extension_ means that there are two modules of different names. Only
    // kgrade's headers do not accept these.
    const bool is_of_ours = line.find("kgrade_extension_") != line.npos;
    if (!is_of_ours && std::regex_search(line, twice)) return false;
    is_missing = is_missing || is_of_ours;
    is_missing = is_missing || std::regex_search(line, missing);
  }
  return is_missing;
}

std::string shortened_log(const std::string& log) {
  constexpr std::size_t most_errors = 20, most_lines = 300;
  std::string kept;
  std::size_t errors = 0, lines = 0, errors_left = 0, lines_left = 0;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    const bool is_error = reports_error(line);
    if (errors_left == 0 && errors + (is_error ? 1 : 0) <= most_errors && lines < most_lines) {
      errors += is_error ? 1 : 0;
      ++lines;
      kept += line + '\n';
    } else {
      errors_left += is_error ? 1 : 0;
      ++lines_left;
    }
  }
  if (lines_left == 0) return log;
  return kept + left_out(errors_left, lines_left, errors + errors_left >= most_errors_read);
}

std::optional<std::string> exceeded_limit(const ProcessOutcome& process, const ProcessLimits& limits,
                                          std::string_view program) {
  const char* const remedy =
      program == "the compiler"
          ? "; give it less to do: fewer unrolled loops, template instances and constant expressions"
          : "";
  if (process.timed_out)
    return fmt::format("{} did not finish within {} s{}", program, limits.wall.count(), remedy);
  if (process.signal == SIGXFSZ || names_any(process.output, file_size_phrases)) {
    return fmt::format("{} was stopped: it wrote a file larger than {}", program,
                       format_bytes(limits.file_size_bytes));
  }
  if (names_any(process.output, room_phrases))
    return fmt::format("{} was stopped: it found no space left", program);
  if (process.exit_code == exit_out_of_memory || names_any(process.output, memory_phrases)) {
    return fmt::format("{} was stopped: it needed more than {}", program, memory_text(limits));
  }
  if (names_any(process.output, process_phrases)) {
    return fmt::format("{} was stopped: it started more processes than it may have", program);
  }
  if (process.signal == SIGXCPU || names_any(process.output, time_phrases)) {
    return fmt::format("{} was stopped: it took more than {} s of processor time{}", program,
                       limits.cpu.count(), remedy);
  }
  if (process.signal == SIGKILL || names_any(process.output, kill_phrases)) {
    return fmt::format("{} was killed: it took more than the processor time or {}", program,
                       memory_text(limits));
  }
  return std::nullopt;
}

std::optional<Error> possible_machine_fault(const ProcessOutcome& process) {
  const bool own_limit = process.timed_out || process.signal == SIGXFSZ || process.signal == SIGXCPU ||
                         names_any(process.output, file_size_phrases) ||
                         names_any(process.output, time_phrases);
  if (own_limit) return std::nullopt;
  if (auto fault = possible_machine_fault(process.output)) return fault;
  if (process.exit_code == exit_out_of_memory) return lack_of_memory();
  if (process.signal != 0) return end_by_signal(::strsignal(process.signal));
  return std::nullopt;
}

std::optional<Error> possible_machine_fault(const std::string& log) {
  if (line_with_any(log, room_phrases)) {
    const std::filesystem::path folder = temporary_folder_of_user();
    return fault(fmt::format("no space is left in {}, the folder for temporary files", folder.string()),
                 remedy_for_room(folder));
  }
  if (line_with_any(log, memory_phrases)) return lack_of_memory();
  if (line_with_any(log, start_phrases))
    return fault("it cannot start a process", remedy_for_machine(EAGAIN));
  if (const auto line = line_with_any(log, missing_phrases))
    return fault(*line,
                 "install the compiler whole: `apt-get install --reinstall g++ binutils`, or for nvcc "
                 "the CUDA Toolkit");
  if (const auto line = line_with_any(log, signal_phrases)) return end_by_signal(*line);
  return std::nullopt;
}

std::string with_shown_names(const std::string& log, const std::filesystem::path& source,
                             const std::string& shown_as, const std::filesystem::path& folder) {
  const std::string prefix = (folder / "").string();
  std::string shown = replace_all(replace_all(log, source.string(), shown_as), prefix, "");
  // Users do not know the unit that includes their source.
  for (const char* unit : {"unit.cpp", "unit.cu"}) {
    shown = replace_all(shown, fmt::format(",\n                 from {}:1:", unit), ":");
    shown = replace_all(shown, fmt::format("In file included from {}:1:\n", unit), "");
  }
  return shown;
}

std::string without_other_warnings(const std::string& log, const std::string& foreign) {
  if (log.find("warning: ") == log.npos) return log;
  static const std::regex begins_message(R"(^[^\s].*: (warning|(fatal )?error): .*)");
  static const std::regex is_context(
      R"(^(In file included from | +from |[^\s].*: (In |At | *required (from|by) )).*)");
  std::string kept, context;
  bool keeps = true;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, is_context)) {
      context += line + '\n';
      continue;
    }
    if (std::regex_match(line, begins_message)) {
      const bool is_warning = line.find(": warning: ") != line.npos;
      keeps = !is_warning || (line.ends_with("uninitialized]") && !line.starts_with(foreign));
      if (keeps) kept += context;
    } else if (!line.empty() && line.front() != ' ' && line.find(": note: ") == line.npos) {
      keeps = true;  // this line is another program's, such as the linker's
    }
    context.clear();
    if (keeps) kept += line + '\n';
  }
  return kept;
}

std::string with_lines_cut(std::string_view log) {
  constexpr std::size_t longest = 4000;
  std::string result;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    result += log.substr(begin, std::min(end - begin, longest));
    if (end - begin > longest) result += "...";
    if (end < log.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace kgrade
