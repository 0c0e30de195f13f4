// Reads `defaults`: the values of scalar parameters that cases need not name; internal to spec.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "problem/scalar_values.h"

namespace kgrade {

struct Defaults {
  ScalarValues values;
  std::set<std::string, std::less<>> named;  // also those whose value could not be read, which is reported
};

Defaults read_defaults(const YamlNode& node, const std::vector<Parameter>& parameters,
                       Diagnostics& diagnostics);

}  // namespace kgrade
