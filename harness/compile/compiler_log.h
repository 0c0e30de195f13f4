// Reads the log of a compiler: its first error, limits that ended it, faults of the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace kgrade {

// The first line that reports an error ("x.cu:3:1: error: ...", "ptxas fatal   : ..."), or else the first
// line. The result has no leading or trailing space. The word "error" in a file name or in the middle of a
// message does not count.
std::string first_error_line(const std::string& log);

// Whether an error says that a name, a header or a fitting function is missing, so that the build might
// succeed with other headers. Only the lines that report errors count, not the code that compilers quote
// below them. False if a definition occurs twice, because the build would then fail with any headers.
bool says_that_something_is_missing(const std::string& log);

// Compilers stop after this many errors, as nvcc's own compilers do. The first errors say what is wrong, and
// g++ would take minutes to report a hundred thousand undeclared names.
inline constexpr int most_errors_read = 100;

// Shortens a long log to the first 20 errors and at most 300 lines. The last line says how much was left out.
std::string shortened_log(const std::string& log);

// Says in one sentence which limit ended the program. Nothing if no limit ended it.
std::optional<std::string> exceeded_limit(const ProcessOutcome& process, const ProcessLimits& limits,
                                          std::string_view program = "the compiler");

// If a compiler failed in a way that suggests a fault of the machine, returns an Error with the remedy. Such
// faults are: no room on the disk, no memory, no processes, a missing program of the compiler, a signal from
// outside. A source can cause all of these too, and can print any words of a compiler. Only a control build
// can decide (grade/contestants.h).
std::optional<Error> possible_machine_fault(const ProcessOutcome& process);
std::optional<Error> possible_machine_fault(const std::string& log);

// Replaces the source's name by `shown_as`, and removes the temporary folder in which the compiler worked and
// the generated unit.
std::string with_shown_names(const std::string& log, const std::filesystem::path& source,
                             const std::string& shown_as, const std::filesystem::path& folder);

// The log without warnings of g++ or clang++, except those about variables that have no value. Warnings about
// files below the folder `foreign` are left out too.
std::string without_other_warnings(const std::string& log, const std::string& foreign);

// Cuts lines after 4,000 bytes and ends them with "...".
std::string with_lines_cut(std::string_view log);

}  // namespace kgrade
