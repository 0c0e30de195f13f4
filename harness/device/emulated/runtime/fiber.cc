#include "device/emulated/runtime/fiber.h"

#include <sys/mman.h>

#include "device/emulated/runtime/limits.h"
#include "device/emulated/runtime/program_limits.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t guard_bytes = limits::stack_guard_bytes;
// Where stacks begin is spread over all sets of the caches: mappings lie at equal distances, and what waits
// at the tops of a thousand stacks would share a few sets of the second-level cache. A colour is what a
// waiting thread has on its stack, five cache lines.
constexpr std::size_t colour_bytes = 320;
constexpr unsigned int colours = limits::threads_per_block;
constexpr std::size_t mapped_bytes = limits::stack_mapping_bytes;
constexpr std::size_t stack_bytes = mapped_bytes - guard_bytes;
static_assert(stack_bytes >= limits::thread_stack_bytes + colours * colour_bytes);

}  // namespace

GuardedStack::GuardedStack(unsigned int colour) {
  make_room_for(stack_bytes);
  mapping_ = ::mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) limit_reached(Limit::memory, stack_bytes);
  bottom_ = static_cast<char*>(mapping_) + guard_bytes;
  if (::mprotect(bottom_, stack_bytes, PROT_READ | PROT_WRITE) != 0)
    limit_reached(Limit::memory, stack_bytes);
  bytes_ = stack_bytes - (colour % colours) * colour_bytes;
}

GuardedStack::~GuardedStack() { ::munmap(mapping_, mapped_bytes); }

bool GuardedStack::ends_at(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(mapping_) < guard_bytes;
}

Fiber::Fiber(unsigned int colour, void (*entry)()) : stack(colour) {
  prepare_context(context, stack.bottom(), stack.bytes(), entry);
}

}  // namespace kgrade_emulated
