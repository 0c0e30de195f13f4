#include "grade/failure.h"

#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include "base/machine_faults.h"

namespace kgrade {

GradeFailure failure_of(const std::exception& thrown) {
  if (const auto* const system = dynamic_cast<const std::system_error*>(&thrown)) {
    const std::string remedy = remedy_for_machine(system->code().value());
    return {exit_machine,
            {{thrown.what(), remedy.empty() ? "kgrade doctor says what this machine lacks" : remedy, {}}}};
  }
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return {exit_machine, {{"kgrade is out of memory", remedy_for_machine(ENOMEM), {}}}};
  return {exit_internal,
          {{std::string("internal error: ") + thrown.what(),
            "this is a fault of kgrade or of the device; please report it with the command line",
            {}}}};
}

GradeFailure failure_of(const Errors& errors) {
  const bool names_a_place = !errors.empty() && !errors.front().location.file.empty();
  return {names_a_place ? exit_usage : exit_machine, errors};
}

}  // namespace kgrade
