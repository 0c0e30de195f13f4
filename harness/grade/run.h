// What runs of `grade`, `check` and `dump` have in common: what they are asked for, and how they can fail.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"

namespace kgrade {

// Of every run that judges candidates.
struct RunOptions {
  std::vector<std::filesystem::path> candidates;
  std::vector<std::string> cases;            // by name; empty: those that the command takes by itself
  std::optional<std::uint64_t> seed;         // drawn at random when unset
  std::optional<double> time_limit_seconds;  // of one call
  bool shuffled = false;                     // where speed is measured: candidates in an order by the seed
  bool require_sandbox = false;              // rather no run than one without the sandbox's namespaces
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// What went wrong besides a verdict, and the exit code that says so.
struct GradeFailure {
  int exit_code = 2;
  Errors errors;
};

using Failure = std::optional<GradeFailure>;

// Exit codes of failures: wrong usage or a fault in a problem file or reference; the machine lacks something;
// a fault of our own.
constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

// What has been thrown is the machine's (std::system_error) or our own.
GradeFailure failure_of(const std::exception& thrown);

// A failure does not take with it what was found before.
template <class RecordType>
struct RunOutcome {
  std::optional<RecordType> record;  // of the candidates that are finished; unset when none is
  Failure failure;                   // why the others are not
};

}  // namespace kgrade
