// Options that several commands share, and checks of their values.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "record/settings.h"

namespace kgrade::cli {

void add_problem_argument(CLI::App& command, std::string& problem);
// The problem that the user named in add_problem_argument(). If several folders have a problem of that name,
// prints on standard error which file is used.
Result<Problem> problem_named(const std::string& problem, const Layout& layout,
                              const std::string& python = "", const std::vector<std::string>& inputs = {});
void add_device_option(CLI::App& command, std::string& device);

// Adds all options of a grade that this command has: one of by_grade, by_check, ... (record/settings.h). A
// number beyond the limits of an option is wrong usage.
void add_grade_options(CLI::App& command, unsigned by, GradeSettings& settings);
// Adds the option of a grade with this name to a command that does not have all options of a grade. `value`:
// has the option's type in GradeSettings. `description`: replaces the usual one.
using OptionValue = std::variant<bool*, std::string*, std::vector<std::string>*, std::optional<std::string>*,
                                 std::optional<std::uint64_t>*, std::optional<double>*, Effort*>;
CLI::Option* add_grade_option(CLI::App& command, std::string_view name, OptionValue value,
                              const std::string& description = "");

}  // namespace kgrade::cli
