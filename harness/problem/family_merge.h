// Makes one frontmatter of a problem's and its family's; internal to spec. See families.h for the rules.
#pragma once

#include <string>

#include "problem/diagnostics.h"
#include "problem/yaml_tree.h"

namespace kgrade {

// What the problem would say without a family; every node keeps its place in the file that it is from.
// Reports keys that clash, and what a family must not have. Both must be maps.
YamlNode merge_family(const YamlNode& family, const YamlNode& problem, const std::string& family_name,
                      Diagnostics& diagnostics);

}  // namespace kgrade
