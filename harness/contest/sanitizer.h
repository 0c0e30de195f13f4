// compute-sanitizer of the CUDA Toolkit: which of its tools run, and how a worker is started below it.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

struct Sanitizer {
  std::filesystem::path program;
  std::string version;  // "2025.3.1.0"

  // An Error with what to install when there is none.
  static Result<Sanitizer> find();

  // The command that runs `worker` below one tool and writes its report to `log`.
  std::vector<std::string> command(std::string_view tool, const std::filesystem::path& log,
                                   const std::vector<std::string>& worker) const;

  // What of the machine it reads, where it is confined.
  std::vector<std::filesystem::path> needs() const;
};

inline constexpr std::array<std::string_view, 4> sanitizer_tools = {"memcheck", "racecheck", "initcheck",
                                                                    "synccheck"};

}  // namespace kgrade
