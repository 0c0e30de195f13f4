#include "device/emulated/runtime/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include "device/emulated/runtime/fault.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;
constexpr std::size_t colour_bytes = 320;
constexpr unsigned int colours = 64;

}  // namespace

GuardedStack::GuardedStack(unsigned int colour) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  mapping_ =
      ::mmap(nullptr, stack_bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) fault("no memory for the stacks of a block's threads");
  bottom_ = static_cast<char*>(mapping_) + page;
  if (::mprotect(bottom_, stack_bytes, PROT_READ | PROT_WRITE) != 0) {
    fault("no memory for the stacks of a block's threads");
  }
  bytes_ = stack_bytes - (colour % colours) * colour_bytes;
}

GuardedStack::~GuardedStack() {
  ::munmap(mapping_, stack_bytes + static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

Fiber::Fiber(unsigned int colour, void (*entry)()) : stack(colour) {
  prepare_context(context, stack.bottom(), stack.bytes(), entry);
}

}  // namespace kgrade_emulated
