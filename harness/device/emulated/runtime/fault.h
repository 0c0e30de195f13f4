// Ends the process when the program cannot go on (__trap(), a failed assertion, wrong use): a message on
// stderr and SIGABRT.
#pragma once

#include <string>

namespace kgrade_emulated {

[[noreturn]] void fault(const std::string& message);

}  // namespace kgrade_emulated
