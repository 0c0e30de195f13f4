// How a frontmatter becomes a Problem: the readers of its keys, a file each. parse_problem() calls them
// (problem_reader.cc). Each reports what is wrong to `diagnostics` and goes on.
#pragma once

#include <optional>
#include <vector>

#include "problem/diagnostics.h"
#include "problem/frontmatter.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {

// Of `parameters`, those that could be read. Names in their expressions are checked later, by check_names().
// `has_model`: see Problem.
std::vector<Parameter> read_parameters(const YamlNode& node, bool has_model, Diagnostics& diagnostics);

// `extents`: adds integers of cases that are no parameters of the entry point. False when one could not be read.
bool read_extents(const YamlNode& node, std::vector<Parameter>& parameters, Diagnostics& diagnostics);

// `dtypes` and `thresholds`. Without a list of dtypes the thresholds are those of float32.
void read_dtypes(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics);

// `fuzz`, of a problem that has all of its parameters: into its `fuzz` and its `scales`.
void read_fuzz(const YamlNode& node, Problem& problem, Diagnostics& diagnostics);
std::optional<ScaleRange> read_scale(const YamlNode& entry, const Parameter& input, Diagnostics& diagnostics);
// That all of them fit together; `node` is `fuzz`.
void check_scales(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics);
std::vector<std::string> scalar_names(const Problem& problem);
// Whether a value that an entry gives its key fits the type; a report where it does not.
bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type, Diagnostics& diagnostics);

// `defaults`, `cases` and `fuzz`, of a problem that has all of its parameters.
void read_cases(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics);

// The section `torch`, of a problem that has all of its parameters.
std::optional<TorchModule> read_torch(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics);

// The names of a problem: legal, unique, and known wherever an expression uses them.
void check_names(const Problem& problem, Diagnostics& diagnostics);

// Of every listed type: ranges and constants of `init` that hold no value of it, or none that is normal (of a
// normal distribution within six standard deviations), and values of cases for scalars of the element type.
void check_values_of_dtypes(const Problem& problem, Diagnostics& diagnostics);

}  // namespace kgrade
