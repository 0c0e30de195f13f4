// How a run can fail without a verdict, and the exit codes of such failures.
#pragma once

#include <exception>
#include <optional>

#include "base/result.h"

namespace kgrade {

// Exit codes of failures, by Blame: wrong usage or a fault in a problem file or reference; the machine lacks
// something; a fault of our own.
constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

// What went wrong.
using Failure = std::optional<Errors>;

// The exit code for errors. If several are to blame, it is the highest: the usage may have been right if the
// machine failed too.
int exit_code_of(const Errors& errors);
// The errors for an exception. It is the machine's fault (std::system_error, std::bad_alloc) or our own.
Errors errors_of(const std::exception& thrown);

}  // namespace kgrade
