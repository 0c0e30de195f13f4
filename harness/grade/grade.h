// A whole run of `kgrade grade`: contestants are built and workers started side by side, then every candidate
// runs through the cases one after the other.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grade/layout.h"
#include "grade/machinery.h"
#include "measure/schedule.h"
#include "report/record.h"

namespace kgrade {

struct GradeOptions {
  std::vector<std::filesystem::path> candidates;
  std::vector<std::string>
      cases;  // by name; empty: all, but no bench case on a device that measures no speed
  std::optional<std::uint64_t> seed;  // drawn at random when unset
  Effort effort = Effort::normal;
  std::optional<double> time_limit_seconds;  // of one call
  Layout layout;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// What went wrong besides a verdict, and the exit code that says so.
struct GradeFailure {
  int exit_code = 2;
  Errors errors;
};

// Exit codes of failures: wrong usage or a fault in a problem file or reference; the machine lacks something;
// a fault of our own.
constexpr int exit_usage = 2;
constexpr int exit_machine = 3;
constexpr int exit_internal = 70;

struct GradeOutcome {
  std::optional<Record> record;
  std::optional<GradeFailure> failure;
};

GradeOutcome grade(const Problem& problem, const GradeOptions& options, const Machinery& machinery);

}  // namespace kgrade
