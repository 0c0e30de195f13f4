// The keys `dtypes` and `thresholds`, and what of a problem does not fit the types that it lists; internal to
// spec.
#pragma once

#include "problem/diagnostics.h"
#include "problem/problem.h"
#include "problem/yaml_tree.h"

namespace kgrade {

// Of the frontmatter. Without a list of dtypes the thresholds are those of float32.
void read_dtypes(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics);

// Of every listed type: ranges and constants of `init` that hold no value of it, or none that is normal (of a
// normal distribution within six standard deviations), and values of cases for scalars of the element type.
void check_values_of_dtypes(const Problem& problem, Diagnostics& diagnostics);

}  // namespace kgrade
