// Turns a Python file in KernelBench's form, with `Model`, `get_inputs` and `get_init_inputs`, into a
// problem. harness/python/describe_module.py describes the file; problem_text_of() turns the description into
// the text of a problem file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// Whether the name of `path` ends in `.py`.
bool is_module_file(const std::filesystem::path& path);

// The problem's slug: "level1-23-softmax" for level1/23_Softmax.py, "softmax" for Softmax.py.
std::string slug_of_module_file(const std::filesystem::path& path);

// The text of a problem file for the Python file `path`: its cases, shapes that are numbers, and the file
// itself as `reference:`. `description` is the JSON that describe_module.py writes, and is not trusted. An
// Error says, with its place, which part of the file kgrade cannot grade.
Result<std::string> problem_text_of(std::string_view description, const std::filesystem::path& path);

}  // namespace kgrade
