// The readers that turn a frontmatter into a Problem: one file per key or group of keys. parse_problem()
// calls them (problem_reader.cc). Each reports errors and continues. `keys` are the keys of the frontmatter;
// if `keys` describe a schema, a reader describes the keys that it would read.
#pragma once

#include <optional>
#include <vector>

#include "problem/diagnostics.h"
#include "problem/frontmatter.h"
#include "problem/keys.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {

// Reads `parameters` and `extents` into the problem. `extents` are integers that a case has and the entry
// point does not take. False on an error. check_names() checks the names in their expressions later.
bool read_parameters(Keys& keys, Problem& problem);
// The schema of a parameter that is an output.
Schema output_schema();

// Reads `dtypes` and `thresholds`. Returns the node of `thresholds`. Without a list of dtypes the thresholds
// are for float32.
const YamlNode* read_dtypes(Keys& keys, Problem& problem);

// Reads `fuzz` into `problem.fuzz` and `problem.scales`. The problem must have all of its parameters.
void read_fuzz(Keys& keys, Problem& problem);
std::optional<ScaleRange> read_scale(const YamlNode& entry, const Parameter& input, Diagnostics& diagnostics);
// Reports scales that do not fit together. `node` is `fuzz`.
void check_scales(const YamlNode& node, const Problem& problem, Diagnostics& diagnostics);
std::vector<std::string> scalar_names(const Problem& problem);
// Whether the value of an entry fits the type. Reports a value that does not.
bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type,
                        Diagnostics& diagnostics);

// Reads `defaults`, `cases` and `fuzz`. The problem must have all of its parameters.
void read_cases(Keys& keys, Problem& problem);

// Reads the section `torch`. The problem must have all of its parameters.
std::optional<TorchModule> read_torch(Keys& keys, const Problem& problem);

// Reports names that are not legal, not unique, or unknown where an expression uses them.
void check_names(const Problem& problem, Diagnostics& diagnostics);

// Checks two things for every listed type. The ranges and constants of `init` must contain a normal value of
// the type (for a normal distribution, within six standard deviations). The type must hold the values that
// cases give to scalars of the element type.
void check_values_of_dtypes(const Problem& problem, Diagnostics& diagnostics);
// Gives a problem the cases and the class of its `dtype`. Other cases go into cases_of_other_types.
void choose_cases_of_dtype(Problem& problem);

// The JSON Schema of a problem file's frontmatter.
Schema frontmatter_schema();

}  // namespace kgrade
