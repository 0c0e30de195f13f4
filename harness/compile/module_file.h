// Reads problems that are Python files in KernelBench's form (problem/module_file.h). Such a file has to be
// run to find out its problem, so it runs in a sandboxed interpreter with PyTorch.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "problem/problem.h"

namespace kgrade {

// The text of a problem file for the Python file `file`. `python` is the value of --python. The description
// is kept in the user's cache, under the content of the file and the version of PyTorch. An Error says what
// the file lacks, or what the machine lacks, such as PyTorch.
Result<std::string> describe_module_file(const std::filesystem::path& file,
                                         const std::filesystem::path& python, const Layout& layout);

// The Python file in the user's cache that holds the problem of a public set at `path` (problem/set_files.h); any
// other path itself. An Error says which file of the problem is missing or wrong.
Result<std::filesystem::path> problem_file_of(const std::filesystem::path& path);

// The problem in a file of KernelBench's form or of kgrade's own, or in the files of a public set
// (problem/set_files.h). A set's problem becomes one Python file in the user's cache, whose path is that of the
// problem. `inputs` replaces the file's own inputs (problem/other_inputs.h).
Result<Problem> load_problem_file(const std::filesystem::path& path, const std::filesystem::path& python,
                                  const Layout& layout, const std::vector<std::string>& inputs = {});

}  // namespace kgrade
