#include "cli/app.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

namespace kgrade::cli {

void add_problems_option(CLI::App& command, std::string& directory) {
  command.add_option("--problems", directory, "Folder of problem files (default: the one kgrade came with)")
      ->type_name("DIR");
}

void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& description) {
  const auto parse = [&seed](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || rest != end) {
      throw CLI::ValidationError("--seed", "'" + text + "' is no whole number from 0 to 2^64 - 1");
    }
    seed = value;
  };
  command.add_option_function<std::string>("--seed", parse, description)->type_name("N");
}

int fail(const Errors& errors, int exit_code) {
  fmt::print(stderr, "{}\n", to_string(errors));
  return exit_code;
}

}  // namespace kgrade::cli
