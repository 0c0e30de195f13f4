// What the subcommands share: their registration, the problem argument, printing errors.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "grade/grade.h"
#include "grade/layout.h"
#include "spec/problem.h"

namespace kgrade::cli {

// The other exit codes are in grade/grade.h.
constexpr int exit_ok = 0;
constexpr int exit_not_accepted = 1;

// A subcommand registers its options and leaves what is to be run.
using Run = std::function<int()>;
struct Command {
  CLI::App* app;
  Run run;
};

Command add_grade(CLI::App& app);
Command add_check(CLI::App& app);
Command add_list(CLI::App& app);
Command add_show(CLI::App& app);
Command add_lint(CLI::App& app);
Command add_dump(CLI::App& app);
Command add_doctor(CLI::App& app);

// `--problems DIR`, the same everywhere.
void add_problems_option(CLI::App& command, std::string& directory);

// `--seed N`: 0 to 2^64 - 1, or it is wrong usage. (CLI11 clamps and wraps around.)
void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& description);

// Prints to standard error and returns the code, for `return fail(...)`.
int fail(const Errors& errors, int exit_code = exit_usage);

}  // namespace kgrade::cli
