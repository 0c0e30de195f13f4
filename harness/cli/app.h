// What the subcommands share: their registration, printing errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "base/result.h"
#include "grade/run.h"

namespace kgrade::cli {

// The other exit codes are in grade/run.h.
constexpr int exit_ok = 0;
constexpr int exit_not_accepted = 1;
constexpr int exit_slower = 4;  // than asked: --fail-on slower

// A subcommand registers its options and leaves what is to be run.
using Run = std::function<int()>;
struct Command {
  CLI::App* app;
  Run run;
};

Command add_grade(CLI::App& app);
Command add_check(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_list(CLI::App& app);
Command add_show(CLI::App& app);
Command add_lint(CLI::App& app);
Command add_new(CLI::App& app);
Command add_import(CLI::App& app);
Command add_calibrate(CLI::App& app);
Command add_dump(CLI::App& app);
Command add_doctor(CLI::App& app);
Command add_selftest(CLI::App& app);
Command add_cache(CLI::App& app);
Command add_sweep(CLI::App& app);
Command add_sweep_lane(CLI::App& app);
Command add_sweep_chunk(CLI::App& app);
Command add_leaderboard(CLI::App& app);

// Prints to standard error and returns the code, for `return fail(...)`.
int fail(const Errors& errors, int exit_code = exit_usage);

}  // namespace kgrade::cli
