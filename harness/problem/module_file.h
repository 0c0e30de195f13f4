// A file in KernelBench's form, with `Model`, `get_inputs` and `get_init_inputs`, as a problem. What the file says
// is read off by harness/python/describe_module.py; this makes the text of a problem file of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// Such a file by its name: a `.py` file where a problem is asked for.
bool is_module_file(const std::filesystem::path& path);

// "level1-23-softmax" of level1/23_Softmax.py, "softmax" of Softmax.py: the slug of a problem.
std::string slug_of_module_file(const std::filesystem::path& path);

// The problem file that says the same as the Python file `path`: one case, shapes that are numbers, `reference:`
// the file itself. `description` is JSON as describe_module.py writes it, and is not trusted. An Error says
// what of the file kgrade cannot grade, with its place.
Result<std::string> problem_text_of(std::string_view description, const std::filesystem::path& path);

}  // namespace kgrade
