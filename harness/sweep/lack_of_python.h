// Candidates in Python that a sweep cannot grade, for want of a Python with PyTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/record.h"
#include "sweep/plan.h"

namespace kgrade {

struct LackOfPython {
  Errors errors;          // why; empty: nothing is lacking, or nothing needs it
  bool is_named = false;  // by --python or $KGRADE_PYTHON: a wrong name is mended before anything is graded
  std::vector<std::size_t> tasks;  // that are left out
};

// Looks at the tasks without a result in `found`. `python`: as --python has it. No interpreter is asked where
// none of them needs one.
LackOfPython find_lack_of_python(const SweepPlan& plan, const std::vector<std::optional<Record>>& found,
                                 const std::string& python);

// What is said of each task that is left out.
inline constexpr const char* without_python = "is in Python, and no Python with PyTorch was found";

}  // namespace kgrade
