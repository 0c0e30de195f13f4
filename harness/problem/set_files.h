// Finds the files of a problem in a public set, and makes one Python text of them. Nothing of the set is run.
//
// The text is the set's own Python file, followed by a call of define() of the module
// harness/python/kgrade_python/sets/<set>.py. Its argument holds the set's other files. define() makes a
// problem in KernelBench's form with cases. YAML files are handed over as JSON, binary files as base64.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// What a path may be, and the names under which the reader gets the other files:
//   flashinfer_bench   definition.json, its folder, or another .json with `axes`, `inputs`, `outputs` and
//                      `reference`: "definition", "workloads", and each safetensors file under its path in
//                      the workloads
//   gpu_mode           task.yml, its folder, or the reference.py beside it: "task", and each further module
//                      that the task's `files` names, under its name there
//   multi_kernel_bench a .py with get_input_groups(): the .json or .jsonl of the same stem, under its name
//   backend_bench      a .json with `operator` and `dtype`: "sample" for itself
//   kernelbench_v3     a .py with a Model, or a folder with reference.py: "shapes" for shapes.py and
//                      "problem" for problem.yaml
//   robust_kbench      a .py with forward_fn() and a Model, or its folder: "config" for its config_*.json
//   triton_bench       a .py with tests below a line of 100 `#` or more: "tests" for what is below the line
// A .py with a Model and get_inputs() has KernelBench's form. Other files beside it can make it one of
// kernelbench_v3 or robust_kbench, but nothing else in it makes it one of a set.
bool is_set_path(const std::filesystem::path& path);

// Whether a path that is no problem's can only be meant as one into a set: a folder, or a .json, .jsonl,
// .yaml or .yml file.
bool may_be_set_path(const std::filesystem::path& path);

struct SetText {
  std::string set;   // "flashinfer_bench"
  std::string slug;  // of the problem
  std::string text;  // Python
};

// Why a Python file that stands alone is no problem: it is a file of a set, and others of the set belong to
// it. Nothing if it may be a problem. `name`: of the file.
std::optional<std::string> lacking_of_set(std::string_view name, std::string_view text);

// Errors: a file of the problem is missing, too large, a link, not regular, not UTF-8, not JSON or not YAML;
// or is_set_path() is false, and then the message says which file a folder lacks. Safetensors files that are
// missing are left out, because other workloads may do without them.
Result<SetText> read_set_problem(const std::filesystem::path& path);

}  // namespace kgrade
