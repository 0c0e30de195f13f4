// Solutions of flashinfer-bench and SOL-ExecBench: a JSON file with the sources of a candidate, and a
// specification of how they are built and called.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

struct Solution {
  // The sources as one text in Python. Sources in C++ and CUDA become arguments of load_inline(), with the
  // headers among them in the place of their #include lines. If the entry point returns the outputs, the text
  // ends with a ModelNew that calls it.
  std::string text;
  std::string definition;  // the name of the problem that it solves; may be empty
  std::string writes;  // the entry point if it takes the outputs too (`destination_passing_style`), or empty
  std::string unsupported;  // why kgrade cannot build it: a binding other than PyTorch's; usually empty
};

// Errors: no JSON, no solution, a source is missing, several sources in Python.
Result<Solution> read_solution(std::string_view content, const std::filesystem::path& file);

// The whole text in Python for this problem: an entry point that takes the outputs gets the arguments of the
// problem's forward() and then the outputs. An Error if the problem is a Python file, and the solution is for
// another definition.
Result<std::string> text_for(const Problem& problem, const Solution& solution);

}  // namespace kgrade
