// Options that several commands have in common, and what is wrong with their values.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace kgrade::cli {

// What is wrong with FILE of `--json FILE`; empty and "-" are fine.
std::optional<Error> check_writable(const std::string& path);

// Seconds from 0.001 to a day.
CLI::Validator finite_seconds();

}  // namespace kgrade::cli
