#include "device/emulated/runtime/spaced_memory.h"

#include <algorithm>
#include <cstdlib>

#include "device/emulated/checker/checker.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t checked_spacing = 64 * 1024;

}  // namespace

std::size_t spacing() { return is_checking() ? checked_spacing : 0; }

void* allocate_spaced(std::size_t alignment, std::size_t bytes) {
  const std::size_t room = spacing();
  void* memory = nullptr;
  if (::posix_memalign(&memory, alignment, std::max<std::size_t>(bytes, 1) + 2 * room) != 0) return nullptr;
  return static_cast<char*>(memory) + room;
}

void free_spaced(void* memory) {
  if (memory != nullptr) std::free(static_cast<char*>(memory) - spacing());
}

}  // namespace kgrade_emulated
