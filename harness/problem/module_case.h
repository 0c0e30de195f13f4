// What distinguishes the cases of a Python file with several cases, as JSON in the text that
// problem/module_file.h generates.
#pragma once

#include <string>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// {"case": 3, "dtype": "float16", "terms": 64, "given": {...}, "forward": [...], "axes": {...}, "tensors":
// {"x": {"shape": [2, 3], "type": "half", "init": "normal(0, 1)"}}}. "dtype", "terms" and the "type" and
// "init" of a tensor may be missing. An Error says which part is not in this form.
Result<ModuleCase> module_case_of(const std::string& text, const Problem& problem);

}  // namespace kgrade
