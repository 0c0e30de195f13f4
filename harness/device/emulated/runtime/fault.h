// What no program can go on from (__trap(), a failed assertion, an error of use): a message on stderr and
// SIGABRT.
#pragma once

#include <string>

namespace kgrade_emulated {

[[noreturn]] void fault(const std::string& message);

}  // namespace kgrade_emulated
