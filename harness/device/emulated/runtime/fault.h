// What no program can go on from, be it __trap(), a failed assertion or an error of use: a message on stderr and SIGABRT.
#pragma once

#include <string>

namespace kgrade_emulated {

[[noreturn]] void fault(const std::string& message);

}  // namespace kgrade_emulated
