// The readers that turn a frontmatter into a Problem: one file per key or group of keys. parse_problem()
// calls them (problem_reader.cc). Each reports errors to `diagnostics` and continues.
#pragma once

#include <optional>
#include <vector>

#include "problem/diagnostics.h"
#include "problem/frontmatter.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {

// Reads `parameters` and returns those without errors. check_names() checks the names in their expressions
// later. `has_model`: see Problem.
std::vector<Parameter> read_parameters(const YamlNode& node, bool has_model, Diagnostics& diagnostics);

// Reads `extents` and adds these integers of cases, which the entry point does not have, to `parameters`.
// False on an error.
bool read_extents(const YamlNode& node, std::vector<Parameter>& parameters, Diagnostics& diagnostics);

// Reads `dtypes` and `thresholds`. Without a list of dtypes the thresholds are for float32.
void read_dtypes(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics);

// Reads `fuzz` into `problem.fuzz` and `problem.scales`. The problem must have all of its parameters.
void read_fuzz(const YamlNode& node, Problem& problem, Diagnostics& diagnostics);
std::optional<ScaleRange> read_scale(const YamlNode& entry, const Parameter& input, Diagnostics& diagnostics);
// Reports scales that do not fit together. `node` is `fuzz`.
void check_scales(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics);
std::vector<std::string> scalar_names(const Problem& problem);
// Whether the value of an entry fits the type. Reports a value that does not.
bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type,
                        Diagnostics& diagnostics);

// Reads `defaults`, `cases` and `fuzz`. The problem must have all of its parameters.
void read_cases(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics);

// Reads the section `torch`. The problem must have all of its parameters.
std::optional<TorchModule> read_torch(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics);

// Reports names that are not legal, not unique, or unknown where an expression uses them.
void check_names(const Problem& problem, Diagnostics& diagnostics);

// Checks for every listed type that the ranges and constants of `init` contain a normal value of it (for a
// normal distribution within six standard deviations), and that it holds the values of cases for scalars of
// the element type.
void check_values_of_dtypes(const Problem& problem, Diagnostics& diagnostics);

}  // namespace kgrade
