// Computes the call of a module's `__init__` for one case from the problem's `torch` section.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/case.h"
#include "problem/problem.h"

namespace kgrade {

struct ModuleCall {
  std::string given;  // TorchModule::given, which replaces the arguments below
  std::vector<ModuleValue> positional;
  std::vector<std::pair<std::string, ModuleValue>> keywords;  // in the order of the file
  std::optional<std::int64_t> rank = {};                      // of tensors that forward() takes
  std::optional<ModuleCase> own = {};                         // of a case of a Python file with several cases
};

// The arguments for a case of this problem. Nothing if the problem has no `torch` section, if the case breaks
// a condition of the section, or if an expression overflows or divides by zero (problem/lint.h).
std::optional<ModuleCall> module_call(const Problem& problem, const Case& bound);

// Like module_call(), with Errors for expressions that cannot be evaluated. Their places are in the section.
Result<std::optional<ModuleCall>> evaluate_module_call(const Problem& problem, const Case& bound);

// {"positional": [3, [5, 7]], "keywords": {"bias": true}}: a tuple is a list, and keywords keep their order.
// If the call has a rank, there is also "rank". If the case is one of several of a Python file, there are
// "case", "forward" and "axes".
nlohmann::ordered_json to_json(const ModuleCall& call);

// The text in the parentheses of ModelNew(...): "64, 128, (5, 7), stride=(2, 2)".
std::string to_string(const ModuleCall& call);

// An argument of TorchModule::forward that is no name, as Python writes it: "(2, None)".
std::string given_value_text(std::string_view argument);

// The name of the input in such an argument; empty if it holds none, or several.
std::string input_of_given(std::string_view argument);

}  // namespace kgrade
