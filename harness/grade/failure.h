// How a run can fail, besides a verdict: with an exit code and errors.
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

// What went wrong besides a verdict, and the exit code that says so.
struct GradeFailure {
  int exit_code = exit_usage;
  Errors errors;
};

using Failure = std::optional<GradeFailure>;

// Of an exception: a fault of the machine (std::system_error, std::bad_alloc) or our own.
GradeFailure failure_of(const std::exception& thrown);
// Of errors that are no candidate's: those that name a place are in a file of the problem's, the others the
// machine's.
GradeFailure failure_of(const Errors& errors);

}  // namespace kgrade
