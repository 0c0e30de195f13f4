#include "device/emulated/runtime/fiber.h"

#include <sys/mman.h>

#include <cstring>

#include "device/emulated/runtime/limits.h"

#if defined(__SANITIZE_ADDRESS__)
#define KGRADE_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define KGRADE_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KGRADE_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define KGRADE_TSAN 1
#endif
#endif

#if defined(KGRADE_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(KGRADE_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

// kgrade_switch_stack(void** save, void* load): pushes the registers that a call must preserve (System V
// x86-64 psABI 3.2.1; AAPCS64 6.1) on the running stack, writes the stack pointer to *save, and continues on
// the stack with the pointer `load`.
#if defined(__x86_64__)
asm(R"(
.text
.globl kgrade_switch_stack
.hidden kgrade_switch_stack
.type kgrade_switch_stack, @function
kgrade_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size kgrade_switch_stack, .-kgrade_switch_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl kgrade_switch_stack
.hidden kgrade_switch_stack
.type kgrade_switch_stack, %function
kgrade_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size kgrade_switch_stack, .-kgrade_switch_stack
)");
#else
#error "the emulated device switches stacks on x86-64 and aarch64 only"
#endif

extern "C" void kgrade_switch_stack(void** save, void* load);

namespace kgrade_emulated {
namespace {

// The frame that kgrade_switch_stack pops from a stack: the saved registers, then the address at which to
// continue.
#if defined(__x86_64__)
constexpr std::size_t frame_words = 8;  // six registers, the address of entry, no return address
constexpr std::size_t entry_word = 6;
#else
constexpr std::size_t frame_words = 20;  // ten pairs of registers
constexpr std::size_t entry_word = 11;   // x30
#endif

constexpr std::size_t guard_bytes = limits::stack_guard_bytes;
// Stacks begin at offsets that are spread over all sets of the caches. Mappings lie at equal distances. So
// without these offsets, the tops of a thousand stacks would share a few sets of the second-level cache. A
// colour is an offset in units of the five cache lines that a waiting thread uses on its stack.
constexpr std::size_t colour_bytes = 320;
constexpr unsigned int colours = limits::threads_per_block;
constexpr std::size_t mapped_bytes = limits::stack_mapping_bytes;
constexpr std::size_t stack_bytes = mapped_bytes - guard_bytes;
static_assert(stack_bytes >= limits::thread_stack_bytes + colours * colour_bytes);

}  // namespace

void prepare_context(StackContext& context, void* stack_bottom, std::size_t stack_bytes, void (*entry)()) {
  context.stack_bottom = stack_bottom;
  context.stack_bytes = stack_bytes;
  // The stack is aligned to 16 bytes as at a call: on x86-64, the address just above the frame is aligned.
  const auto top = (reinterpret_cast<std::uintptr_t>(stack_bottom) + stack_bytes) & ~std::uintptr_t{15};
  auto* frame = reinterpret_cast<std::uintptr_t*>(top) - frame_words;
  std::memset(frame, 0, frame_words * sizeof *frame);
  frame[entry_word] = reinterpret_cast<std::uintptr_t>(entry);
  context.stack_pointer = frame;
#if defined(KGRADE_TSAN)
  context.sanitizer_fiber = __tsan_create_fiber(0);
#endif
}

void release_context([[maybe_unused]] StackContext& context) {
#if defined(KGRADE_TSAN)
  if (context.sanitizer_fiber != nullptr) __tsan_destroy_fiber(context.sanitizer_fiber);
#endif
  context = {};
}

void adopt_running_stack([[maybe_unused]] StackContext& context) {
#if defined(KGRADE_TSAN)
  context.sanitizer_fiber = __tsan_get_current_fiber();
#endif
}

void switch_stack(StackContext& from, StackContext& to) {
#if defined(KGRADE_ASAN)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_bytes);
#endif
#if defined(KGRADE_TSAN)
  __tsan_switch_to_fiber(to.sanitizer_fiber, 0);
#endif
  kgrade_switch_stack(&from.stack_pointer, to.stack_pointer);
#if defined(KGRADE_ASAN)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void on_first_turn([[maybe_unused]] StackContext& from) {
#if defined(KGRADE_ASAN)
  // The bounds of the host thread's own stack become known only with this switch.
  const void** bottom = from.stack_bottom == nullptr ? &from.stack_bottom : nullptr;
  std::size_t* bytes = bottom != nullptr ? &from.stack_bytes : nullptr;
  __sanitizer_finish_switch_fiber(nullptr, bottom, bytes);
#endif
}

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
