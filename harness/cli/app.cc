#include "cli/app.h"

#include <fmt/format.h>

#include <cstdio>

namespace kgrade::cli {

void add_problems_option(CLI::App& command, std::string& directory) {
  command.add_option("--problems", directory, "Folder of problem files (default: the one kgrade came with)")
      ->type_name("DIR");
}

int fail(const Errors& errors, int exit_code) {
  fmt::print(stderr, "{}\n", to_string(errors));
  return exit_code;
}

}  // namespace kgrade::cli
