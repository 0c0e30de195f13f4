// What `kgrade lint` asks of a problem, each rule by a name that stays.
#pragma once

#include <string_view>
#include <vector>

namespace kgrade {

struct LintRule {
  std::string_view name;
  std::string_view meaning;  // what is found, in one line
  bool needs_device = false;
};

// In the order in which they are looked at.
const std::vector<LintRule>& lint_rules();

}  // namespace kgrade
