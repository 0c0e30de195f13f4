// How a run can fail without a verdict: with an exit code and errors.
#pragma once

#include <exception>
#include <optional>

#include "base/result.h"

namespace kgrade {

// Exit codes of failures: wrong usage or a fault in a problem file or reference; the machine lacks something;
// a fault of our own.
constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

// What went wrong, and the exit code for it.
struct GradeFailure {
  int exit_code = exit_usage;
  Errors errors;
};

using Failure = std::optional<GradeFailure>;

// The failure for an exception: the machine's (std::system_error, std::bad_alloc) or our own.
GradeFailure failure_of(const std::exception& thrown);
// The failure for errors that are not a candidate's. An error with a place is in a file of the problem; any
// other is the machine's.
GradeFailure failure_of(const Errors& errors);

}  // namespace kgrade
