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
  // Then a wrong environment is found before the work, so that it does not make each of many builds fail.
  bool builds = false;
};
constexpr bool builds_contestants = true;

// Adds the commands of this build, which CMakeLists.txt lists. `kgrade --help` shows them in that order.
std::vector<Command> add_commands(CLI::App& app);

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
