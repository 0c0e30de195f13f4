// Reads values of scalar parameters, as cases and `defaults` give them; internal to spec.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "problem/scalar_type.h"
#include "problem/yaml_tree.h"

namespace kgrade {

struct ScalarValues {
  Bindings integers;
  std::map<std::string, double, std::less<>> reals;
};

// The value of a parameter that is no pointer, into `values`. False and a report for one that does not fit
// its type.
bool read_scalar(const YamlNode& entry, const Parameter& parameter, ScalarValues& values,
                 Diagnostics& diagnostics);

bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type,
                        Diagnostics& diagnostics);

const Parameter* find_parameter(const std::vector<Parameter>& parameters, std::string_view name);
std::vector<std::string> scalar_names(const std::vector<Parameter>& parameters);

}  // namespace kgrade
