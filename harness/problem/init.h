// Reads the distribution of an input; internal to spec. See Init in problem.h for the forms.
#pragma once

#include <optional>

#include "problem/problem.h"
#include "problem/yaml_tree.h"

namespace kgrade {

std::optional<Init> read_init(const YamlNode& node, Diagnostics& diagnostics);

}  // namespace kgrade
