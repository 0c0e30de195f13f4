// Reads the keys of a frontmatter; internal to spec.
#pragma once

#include <string>
#include <string_view>

#include "problem/problem.h"
#include "problem/yaml_tree.h"

namespace kgrade {

// True when `root` is a map; reports keys that no frontmatter has. `what` names it: "the frontmatter".
bool check_keys(const YamlNode& root, std::string_view what, Diagnostics& diagnostics);

// What the keys say, without `family`, path, statement and digest. `root` is a map; `file` is where a key is
// missed.
Problem read_problem(const YamlNode& root, const std::string& file, Diagnostics& diagnostics);

}  // namespace kgrade
