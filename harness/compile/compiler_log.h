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
// line; without leading and trailing space. The word "error" in a file name or in the middle of a message
// does not count.
std::string first_error_line(const std::string& log);

// Whether an error is that a name, a header or a fitting function is missing, which other headers might have.
// Decided by the lines that report the errors, not by the code that compilers quote below them. Any other
// error would occur with all headers, and so would an error beside a definition that is there twice.
bool says_that_something_is_missing(const std::string& log);

// A compiler gives up after this many errors, as nvcc's own compilers do. The first errors say what is wrong,
// and a hundred thousand undeclared names would take g++ minutes.
inline constexpr int most_errors_read = 100;

// Shortens a long log to the first 20 errors and at most 300 lines. The last line says how much was left out.
std::string shortened_log(const std::string& log);

// Says in one sentence which limit ended the program. Nothing if the program ended on its own.
std::optional<std::string> exceeded_limit(const ProcessOutcome& process, const ProcessLimits& limits,
                                          std::string_view program = "the compiler");

// What the machine may lack, with the remedy, if a compiler failed in a way that suggests it: no room on the
// disk, no memory, no processes, a missing program of the compiler, a signal from outside. A source can cause
// all of these too, and can print any words of a compiler. Only a control build can decide
// (grade/contestants.h).
std::optional<Error> possible_machine_fault(const ProcessOutcome& process);
std::optional<Error> possible_machine_fault(const std::string& log);

// Replaces the source's name by `shown_as`, and removes the temporary folder in which the compiler worked and
// the generated unit.
std::string with_shown_names(const std::string& log, const std::filesystem::path& source,
                             const std::string& shown_as, const std::filesystem::path& folder);

// The log without warnings of g++ or clang++, except those about variables that have no value. Those about
// files below the folder `foreign` are left out too.
std::string without_other_warnings(const std::string& log, const std::string& foreign);

// Cuts lines after 4,000 bytes and ends them with "...".
std::string with_lines_cut(std::string_view log);

}  // namespace kgrade
