// Shared by the subcommands: their registration, exit codes and printing of errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "grade/run.h"

namespace kgrade::cli {

// The other exit codes are in grade/failure.h.
constexpr int exit_ok = 0;
constexpr int exit_not_accepted = 1;
constexpr int exit_slower = 4;  // slower than --fail-on slower allows

// A subcommand: its registered options, and the function that runs it.
using Run = std::function<int()>;
struct Command {
  CLI::App* app;
  Run run;
};

Command add_grade(CLI::App& app);
Command add_check(CLI::App& app);
Command add_profile(CLI::App& app);
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
Command add_serve(CLI::App& app);
Command add_watch(CLI::App& app);
Command add_lane(CLI::App& app);
Command add_leaderboard(CLI::App& app);
// These commands describe the whole command line, so they are added last.
Command add_completion(CLI::App& app);
Command add_complete(CLI::App& app);
Command add_man(CLI::App& app);
Command add_help(CLI::App& app);

// An exit code and its meaning, as in --help and the man page.
struct ExitCode {
  int code;
  std::string meaning;
};
std::vector<ExitCode> exit_codes();
// "Exit codes: 0 ..., 1 ...", on one line.
std::string exit_codes_line();

// Like CLI11's own formatter. If standard output is a terminal, no line is longer than the terminal is wide.
std::shared_ptr<CLI::Formatter> help_formatter();

// The command of that name. Null if there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& name);
// Suggests the command that a mistyped word meant, or says where commands are listed.
int fail_unknown_command(const CLI::App& app, const std::string& name);

// From now on, fail() prints its text through `quote`.
void quote_failures(std::function<std::string(const std::string&)> quote);
// Prints to standard error and returns the exit code for the errors, for `return fail(...)`.
int fail(const Errors& errors);

}  // namespace kgrade::cli
