#include "sweep/lack_of_python.h"

#include "compile/python_interpreter.h"

namespace kgrade {

LackOfPython find_lack_of_python(const SweepPlan& plan, const std::vector<std::optional<Record>>& found,
                                 const std::string& python) {
  LackOfPython lack;
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    if (!found[task] && plan.tasks[task].is_python) lack.tasks.push_back(task);
  }
  if (lack.tasks.empty()) return lack;
  const auto interpreter = find_python_with_torch(python);
  if (interpreter) return {};
  lack.errors = interpreter.errors();
  lack.is_named = is_python_named(python);
  return lack;
}

}  // namespace kgrade
