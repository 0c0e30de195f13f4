// Solutions of flashinfer-bench and SOL-ExecBench: a JSON file with the sources of a candidate, and a
// specification of how they are built and called.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// The solution as one text in Python. A solution in Python is its source. Sources in C++ and CUDA become
// arguments of load_inline(), with the headers among them in the place of their #include lines. A ModelNew
// calls the entry point. If the entry point takes the outputs too (`destination_passing_style`), a function
// with the names in the problem's definition calls it; the definition is found beside the solution, or below
// definitions/ in the same tree.
//
// Errors: no JSON, no solution, a source or the definition is missing, several sources in Python, a binding
// other than PyTorch's.
Result<std::string> python_text_of_solution(std::string_view content, const std::filesystem::path& file);

}  // namespace kgrade
