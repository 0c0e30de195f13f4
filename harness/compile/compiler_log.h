// Reading what a compiler wrote.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace kgrade {

// What compilers call the unit that includes a contestant (compile/binding.h).
inline constexpr const char* unit_name = "kgrade-binding";

// The first line that reports an error ("x.cu:3:1: error: ...", "ptxas fatal   : ..."), or the first line at
// all; without leading and trailing space. The word in a name of a file or in a message does not make one.
std::string first_error_line(const std::string& log);

// After so many errors a compiler gives up: what is wrong with a source stands in the first ones, and a
// hundred thousand undeclared names would take g++ minutes. As many as nvcc's own compilers report.
inline constexpr int most_errors_read = 100;

// Of a long log the first 20 errors, and at most 300 lines; the last line says how much was left out.
std::string shortened_log(const std::string& log);

// Which limit ended the program that was confined, in one sentence; nothing when it ended by itself.
std::optional<std::string> exceeded_limit(const ProcessOutcome& process, const ProcessLimits& limits,
                                          std::string_view program = "the compiler");

// What the machine may lack, with the remedy, where a compiler failed as it does then: no room on the disk,
// no memory, no processes, a program of its own that is missing, a signal from outside. The source may bring
// all of that about as well, and may quote any words of a compiler: only a control build can tell.
std::optional<Error> possible_machine_fault(const ProcessOutcome& process);
std::optional<Error> possible_machine_fault(const std::string& log);

// With the source's name as it is shown, and without the temporary folder in which the compiler worked, nor
// the unit there that includes the source.
std::string with_shown_names(const std::string& log, const std::filesystem::path& source,
                             const std::string& shown_as, const std::filesystem::path& folder);

// Lines of more than 4,000 bytes end there, with "...".
std::string with_lines_cut(std::string_view log);

}  // namespace kgrade
