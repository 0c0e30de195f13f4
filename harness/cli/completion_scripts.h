// Completion scripts for shells. Each completes commands, options, values of options that are files, folders
// or one of a few words, slugs of problems (asking `kgrade list --names`) and files.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace kgrade::cli {

std::string bash_completion(const ProgramText& text);
std::string zsh_completion(const ProgramText& text);
std::string fish_completion(const ProgramText& text);

}  // namespace kgrade::cli
