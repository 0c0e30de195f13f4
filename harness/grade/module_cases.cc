#include "grade/module_cases.h"

#include <fmt/format.h>

#include <utility>

#include "problem/module_call.h"

namespace kgrade {

ModuleCases stated_cases(const Problem& problem, std::vector<PlannedCase> cases) {
  ModuleCases result;
  std::size_t left_out = 0, run = 0;
  for (PlannedCase& planned : cases) {
    if (!planned.skipped.empty()) continue;
    const bool stated = module_call(problem, planned.bound).has_value();
    (stated ? run : left_out) += 1;
    if (!stated) planned.skipped = "not run: the problem's module cannot state it";
  }
  if (left_out > 0) {
    result.note = fmt::format("{} left out, which the problem's module cannot state",
                              left_out == 1 ? "1 case is" : fmt::format("{} cases are", left_out));
  }
  if (run == 0) result.unsupported = "none of the cases can be stated by the problem's module";
  result.cases = std::move(cases);
  return result;
}

}  // namespace kgrade
