// One access to memory, as the compiler reports it before it happens.
#pragma once

#include <cstdint>

namespace kgrade_emulated {

inline std::uintptr_t number(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

struct Access {
  std::uintptr_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  bool atomic = false;
  bool is_volatile = false;
  const void* pc = nullptr;  // where the contestant's code goes on

  std::uintptr_t end() const { return address + bytes; }
};

}  // namespace kgrade_emulated
