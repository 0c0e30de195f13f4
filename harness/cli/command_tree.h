// The options and arguments of all commands as plain values. Completions and the man page are made from them,
// so they agree with --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kgrade::cli {

// The kind of a value, for completion.
enum class ValueKind {
  none,          // a flag: takes no value
  other,         // cannot be completed
  choice,        // one of `choices`
  file,          // the path of a file
  folder,        // the path of a folder
  problem,       // the slug of a problem, or the path of a problem file
  family,        // the name of a family of problems
  problem_case,  // the name of a case of the problem that the line names
};

struct OptionText {
  std::vector<std::string> names;  // with dashes, long ones last: "-o", "--output"; for an argument, its name
  std::string placeholder;         // stands for its value: "FILE"; empty for a flag
  std::string description;
  std::string default_value;  // empty: none is shown
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;
  bool required = false;
  bool repeats = false;  // for an argument: it takes all remaining words
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> options;    // in the order of --help
  std::vector<OptionText> arguments;  // by position
};

struct ProgramText {
  CommandText program;  // its own options and arguments
  std::vector<CommandText> commands;
};

// Describes the commands of `app`. The kind of a value follows from the type name of its option: FILE, DIR,
// PROBLEM, FAMILY, CASE or COMMAND. Words between bars, as in `auto|cuda[:N]`, are choices, without the text
// in brackets. The members of a CLI::IsMember are choices, too. Commands and options of the empty group,
// which --help hides, are left out.
ProgramText describe(CLI::App& app);

}  // namespace kgrade::cli
