// The host threads that blocks run on.
#pragma once

#include <functional>

namespace kgrade_emulated {

// Calls `work` at the same time on the calling thread and on up to `count - 1` others, and returns when all
// calls have returned. One call at a time; a second caller waits.
void run_on_host_threads(unsigned int count, const std::function<void()>& work);

}  // namespace kgrade_emulated
