// Problems that are Python files in KernelBench's form (problem/module_file.h): read in a sandboxed
// interpreter with PyTorch, since only running such a file says what it asks for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "problem/problem.h"

namespace kgrade {

// The text of the problem file that stands for `file`. `python`: as --python names it. What was read is kept
// in the user's cache, by the content of the file and the version of PyTorch. An Error says what the file
// lacks, or that there is no PyTorch.
Result<std::string> describe_module_file(const std::filesystem::path& file,
                                         const std::filesystem::path& python, const Layout& layout);

// The problem in a file: of KernelBench's form, or a problem file of kgrade's own. `inputs`: other contents
// than the file draws (problem/other_inputs.h).
Result<Problem> load_problem_file(const std::filesystem::path& file, const std::filesystem::path& python,
                                  const Layout& layout, const std::vector<std::string>& inputs = {});

// Whether errors of these functions say what the machine lacks to read that file, such as PyTorch. They name
// no file then.
bool is_fault_of_machine(const std::filesystem::path& problem, const Errors& errors);

}  // namespace kgrade
