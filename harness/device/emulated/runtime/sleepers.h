// Threads of a block that wait for something only some of them share (kgrade_emulated/sleep.h).
#pragma once

#include <vector>

#include "device/emulated/runtime/fiber.h"

namespace kgrade_emulated {

class Sleepers {
 public:
  void begin_block() { places_.clear(); }

  void sleep(Fiber& fiber, const void* key);
  // Makes all that sleep on the key ready.
  void wake(const void* key, FiberQueue& ready);

  unsigned int count_at(const void* key) const;
  unsigned int count() const;

 private:
  struct Place {
    const void* key;
    unsigned int count;
    FiberQueue waiting;
  };

  std::vector<Place> places_;  // few: one a barrier in use
};

}  // namespace kgrade_emulated
