// Reads `cases` and `fuzz`; internal to spec.
#pragma once

#include <vector>

#include "problem/defaults.h"
#include "problem/problem.h"
#include "problem/yaml_tree.h"

namespace kgrade {

std::vector<CaseSpec> read_cases(const YamlNode& node, const std::vector<Parameter>& parameters,
                                 const Defaults& defaults, Diagnostics& diagnostics);

std::vector<FuzzRange> read_fuzz(const YamlNode& node, const std::vector<Parameter>& parameters,
                                 Diagnostics& diagnostics);

}  // namespace kgrade
