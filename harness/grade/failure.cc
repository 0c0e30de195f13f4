#include "grade/failure.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include "base/machine_faults.h"

namespace kgrade {
namespace {

int exit_code_of(Blame blame) {
  switch (blame) {
    case Blame::user:
      return exit_usage;
    case Blame::machine:
      return exit_machine;
    case Blame::ours:
      break;
  }
  return exit_internal;
}

}  // namespace

int exit_code_of(const Errors& errors) {
  int code = exit_usage;
  for (const Error& error : errors) code = std::max(code, exit_code_of(error.blame));
  return code;
}

Errors errors_of(const std::exception& thrown) {
  if (const auto* const system = dynamic_cast<const std::system_error*>(&thrown)) {
    const std::string remedy = remedy_for_machine(system->code().value());
    return {
        machine_error(thrown.what(), remedy.empty() ? "kgrade doctor says what this machine lacks" : remedy)};
  }
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return {machine_error("kgrade is out of memory", remedy_for_machine(ENOMEM))};
  return {{std::string("internal error: ") + thrown.what(),
           "this is a fault of kgrade or of the device; please report it with the command line",
           {},
           Blame::ours}};
}

}  // namespace kgrade
