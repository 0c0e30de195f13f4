// What a program may use up, and what happens when it does (emulated_runtime.h).
#pragma once

#include <cstddef>

#include "device/emulated/runtime/emulated_runtime.h"

namespace kgrade_emulated {

// The program has asked for more than it may have, `bytes`. Safe in a signal handler.
[[noreturn]] void limit_reached(Limit limit, std::size_t bytes);

// The device's own stacks do not count: raises a limit of this process's private memory (RLIMIT_DATA), if
// there is one, as far as it may.
void make_room_for(std::size_t bytes);

// Gives the calling thread a stack for signal handlers, since there is none to run on when its own is full.
void use_signal_stack();

}  // namespace kgrade_emulated
