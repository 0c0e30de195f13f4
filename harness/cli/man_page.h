// The man page: roff for man(7), with every command, option, exit code and environment variable.
#pragma once

#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/command_tree.h"

namespace kgrade::cli {

// `version` as "0.1.0".
std::string man_page(const ProgramText& text, const std::string& version, const std::vector<ExitCode>& exits);

}  // namespace kgrade::cli
