// Writes the tensors of a case to files for other frameworks: inputs, and the expected outputs that the
// oracle computes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grade/run.h"

namespace kgrade {

struct DumpOptions {
  std::vector<std::string> cases;
  Bindings overrides;  // replace scalar parameters of the cases
  std::uint64_t seed = 0;
  std::filesystem::path directory;  // made if it is missing
  bool require_sandbox = false;     // as in RunOptions
  Layout layout;
  std::filesystem::path python;  // the value of --python, for an oracle in Python
};

// Writes <directory>/<case>/<tensor>.npy (NumPy's format, version 1.0, C order) for every tensor. Also writes
// case.json with the slug, the case, the element type, the parameters and the names of the outputs. Inputs of
// float16 have the type '<f2'. NumPy does not have bfloat16 and types of eight bits, so these are widened to
// '<f4'. Outputs are the oracle's '<f4', not rounded to a 16-bit type.
Failure dump_cases(const Problem& problem, const DumpOptions& options, Bench& bench);

}  // namespace kgrade
