// Finds the Python candidates that a sweep cannot grade, because there is no Python with PyTorch.
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
  Errors errors;                   // the reasons; empty if nothing is lacking or needed
  bool is_named = false;           // by --python or $KGRADE_PYTHON: fix a wrong name before grading anything
  std::vector<std::size_t> tasks;  // that are left out
};

// Checks the tasks without a result in `found`. `python` is the value of --python. Asks no interpreter unless
// a task needs one.
LackOfPython find_lack_of_python(const SweepPlan& plan, const std::vector<std::optional<Record>>& found,
                                 const std::string& python);

// The message for each task that is left out.
inline constexpr const char* without_python = "is in Python, and no Python with PyTorch was found";

}  // namespace kgrade
