#include "device/freed_memory.h"

#include <thread>

namespace kgrade {

void await_freed_memory(const Device& device, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds look_again{5};
  const auto deadline = Clock::now() + patience;
  for (std::uint64_t free = device.free_bytes(); device.gates_calls() && Clock::now() < deadline;) {
    std::this_thread::sleep_for(look_again);
    const std::uint64_t now = device.free_bytes();
    if (now <= free) break;
    free = now;
  }
}

}  // namespace kgrade
