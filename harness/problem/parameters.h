// Reads `parameters`; internal to spec.
#pragma once

#include <vector>

#include "problem/problem.h"
#include "problem/yaml_tree.h"

namespace kgrade {

// Those that could be read. Names in their expressions are checked later, by check_names.
std::vector<Parameter> read_parameters(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace kgrade
