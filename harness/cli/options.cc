#include "cli/options.h"

#include <unistd.h>

#include <filesystem>

namespace kgrade::cli {

// Found out before any work is done, since losing a result for a slip in a path would be a waste.
std::optional<Error> check_writable(const std::string& path) {
  if (path.empty() || path == "-") return std::nullopt;
  const std::filesystem::path target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code ignored;
  const Location place{path, 0, 0};
  if (std::filesystem::is_directory(target, ignored))
    return Error{"--json: is a folder", "name a file in it", place};
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Error{"--json: there is no folder " + folder.string(), "make it first, or name another file",
                 place};
  }
  const bool exists = std::filesystem::exists(target, ignored);
  // A plain file is replaced by renaming a new one over it, anything else is written as it is.
  const bool replaced = !exists || std::filesystem::is_regular_file(target, ignored);
  if ((replaced && ::access(folder.c_str(), W_OK) != 0) || (exists && ::access(target.c_str(), W_OK) != 0)) {
    return Error{"--json: cannot be written", "check the permissions, or name another file", place};
  }
  return std::nullopt;
}

// CLI::Range lets NaN through.
CLI::Validator finite_seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double seconds = 0;
        const bool number = CLI::detail::lexical_cast(text, seconds);
        return number && seconds >= 0.001 && seconds <= 86400
                   ? ""
                   : "'" + text + "' is no time from 0.001 to 86400 s";
      },
      "");
}

}  // namespace kgrade::cli
