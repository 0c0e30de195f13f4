// What the subcommands share: their registration, printing errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

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
Command add_print(CLI::App& app);
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
// These tell about the whole command line, and so come last.
Command add_completion(CLI::App& app);
Command add_complete(CLI::App& app);
Command add_man(CLI::App& app);
Command add_help(CLI::App& app);

// The meaning of each exit code, as it stands in --help and in the man page.
struct ExitCode {
  int code;
  std::string meaning;
};
std::vector<ExitCode> exit_codes();
// "Exit codes: 0 ..., 1 ...", in one line.
std::string exit_codes_line();

// Null when there is none of that name.
const CLI::App* find_command(const CLI::App& app, const std::string& name);
// What a mistyped word was meant to be, or where the right ones are listed.
int fail_unknown_command(const CLI::App& app, const std::string& name);

// What fail() prints goes through this from now on.
void quote_failures(std::function<std::string(const std::string&)> quote);
// Prints to standard error and returns the code, for `return fail(...)`.
int fail(const Errors& errors, int exit_code = exit_usage);

}  // namespace kgrade::cli
