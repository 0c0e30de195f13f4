// The tensors of a case as files for other frameworks: inputs, and the expected outputs as the oracle gives
// them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grade/run.h"

namespace kgrade {

struct DumpOptions {
  std::vector<std::string> cases;
  Bindings overrides;  // scalar parameters that replace those of the cases
  std::uint64_t seed = 0;
  std::filesystem::path directory;  // made when missing
  bool require_sandbox = false;     // as in RunOptions
  Layout layout;
  std::filesystem::path python;  // as --python names it, for an oracle in Python
};

// Writes <directory>/<case>/<tensor>.npy (NumPy's format, version 1.0, C order) for every tensor, and
// case.json with the slug, the case, the element type, the parameters and the names of the outputs. Inputs
// are '<f2' for float16; bfloat16 and eight bits, which NumPy does not have, are widened to '<f4', and
// outputs are '<f4' as the oracle gives them, not rounded to a 16-bit type.
Failure dump_cases(const Problem& problem, const DumpOptions& options, Bench& bench);

}  // namespace kgrade
