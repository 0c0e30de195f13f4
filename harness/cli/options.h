// Options that several commands share, and checks of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "grade/settings.h"

namespace kgrade::cli {

// Each function adds one option, which means the same in every command. Only descriptions differ.
void add_problem_argument(CLI::App& command, std::string& problem);
void add_problems_option(CLI::App& command, std::string& directory);
// The problem that the user named in add_problem_argument(). If several folders have a problem of that name,
// it prints on standard error which file counts.
Result<Problem> problem_named(const std::string& problem, const Layout& layout,
                              const std::string& python = "", const std::vector<std::string>& inputs = {});
void add_device_option(CLI::App& command, std::string& device);
CLI::Option* add_case_option(CLI::App& command, std::vector<std::string>& cases,
                             const std::string& description);
// Adds the name of a dtype. with_dtype() checks that the problem lists it.
void add_dtype_option(CLI::App& command, std::optional<std::string>& dtype, const std::string& description);
// Accepts 0 to 2^64 - 1. Other values are wrong usage. (CLI11 would clamp or wrap them.)
void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& description);
// --hidden (0 to most_hidden_cases, `usual` by default), and --hidden-seed, which is like --seed.
void add_hidden_options(CLI::App& command, std::size_t usual, std::optional<std::size_t>& count,
                        std::optional<std::uint64_t>& seed);
// Accepts seconds from 0.001 to a day.
void add_time_limit_option(CLI::App& command, std::optional<double>& seconds, const std::string& description);
// The Python that runs Python candidates.
void add_python_option(CLI::App& command, std::string& python);
// How speed is measured: --quick, --ranked, --warm, --clear-outputs, --baselines.
void add_measuring_options(CLI::App& command, GradeSettings& settings);

// Replaces the contents of inputs of Python files.
void add_inputs_option(CLI::App& command, std::vector<std::string>& inputs);
void add_require_sandbox_option(CLI::App& command, bool& require_sandbox);

}  // namespace kgrade::cli
