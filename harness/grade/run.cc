#include "grade/run.h"

#include <system_error>

namespace kgrade {

GradeFailure failure_of(const std::exception& thrown) {
  if (dynamic_cast<const std::system_error*>(&thrown) != nullptr) {
    return {exit_machine, {{thrown.what(), "kgrade doctor says what this machine lacks", {}}}};
  }
  return {exit_internal,
          {{std::string("internal error: ") + thrown.what(),
            "this is a fault of kgrade or of the device; please report it with the command line",
            {}}}};
}

}  // namespace kgrade
