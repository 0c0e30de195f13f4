// What the command line offers, as plain values: what completions and the man page are made from, so that
// they say what --help says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kgrade::cli {

// What a value is, for completion.
enum class ValueKind {
  none,     // a flag: takes no value
  other,    // nothing that could be completed
  choice,   // one of `choices`
  file,     // the path of a file
  folder,   // the path of a folder
  problem,  // the slug of a problem, or the path of a problem file
};

struct OptionText {
  std::vector<std::string>
      names;                // with dashes, long ones last: "-o", "--output"; the word itself for an argument
  std::string placeholder;  // what stands for its value: "FILE"; empty for a flag
  std::string description;
  std::string default_value;  // empty: none is shown
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;
  bool required = false;
  bool repeats = false;  // of an argument: it takes all the words that are left
};

struct CommandText {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionText> options;    // in the order of --help
  std::vector<OptionText> arguments;  // by place
};

struct ProgramText {
  CommandText program;  // its own options and words
  std::vector<CommandText> commands;
};

// What a value is follows from the type name that the option was given: FILE, DIR, PROBLEM and COMMAND are
// what they say, and words between bars, as in `auto|cuda[:N]`, are choices, less what stands in brackets; so
// are the members of a CLI::IsMember. Commands and options of the empty group, which --help hides, are left
// out.
ProgramText describe(CLI::App& app);

}  // namespace kgrade::cli
