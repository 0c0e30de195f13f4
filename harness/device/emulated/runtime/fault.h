// Ends the process when the program cannot continue (__trap(), a failed assertion, wrong use): a message on
// stderr and SIGABRT.
#pragma once

#include <string>

namespace kgrade_emulated {

[[noreturn]] void fault(const std::string& message);

struct Configuration;
// "mine.cu:20": where a launch stands, without folders. Empty if unknown.
std::string place_of(const Configuration& configuration);

}  // namespace kgrade_emulated
