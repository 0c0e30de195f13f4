// Shared memory of a block. The rewriter turns each __shared__ declaration into a use of this header.
//
// Every variable is a heap block of its own size, filled with 0xff bytes (a float NaN) when a block begins,
// so that reading what was never written shows in the result.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace kgrade_emulated {

// Static shared memory of a kernel (compute capability 2.0 and higher).
inline constexpr std::size_t most_static_shared_bytes = 48 * 1024;

// Identifies one declaration of one instantiation. Numbered at its first use. Constant-initialised, so that
// it needs no guard.
struct SharedSlot {
  constexpr explicit SharedSlot(const char* variable = nullptr) : name(variable) {}
  std::atomic<unsigned int> number{0};
  const char* name;
};

// The current block's memory for a slot.
void* shared_memory(SharedSlot& slot, std::size_t bytes, std::size_t alignment);
void* dynamic_shared_memory();

// Never defined, so that the compiler's error says how large a variable is
// (harness/device/emulated/toolchain/host_compiler.h).
template <std::size_t Bytes, std::size_t Most>
struct static_shared_memory_exceeded;

template <class T, std::size_t Alignment = alignof(T)>
T& shared_variable(SharedSlot& slot) {
  if constexpr (sizeof(T) > most_static_shared_bytes)
    static_assert(sizeof(static_shared_memory_exceeded<sizeof(T), most_static_shared_bytes>) > 0, "");
  return *static_cast<T*>(shared_memory(slot, sizeof(T), Alignment));
}

// T is an array of unknown bound; its element type is what the name points to.
template <class T>
std::remove_extent_t<T>* dynamic_shared() {
  return static_cast<std::remove_extent_t<T>*>(dynamic_shared_memory());
}

// A shared scalar declared at namespace scope. Each use looks it up again.
template <class T, std::size_t Alignment = alignof(T)>
class SharedObject {
 public:
  operator T&() { return get(); }
  T* operator&() { return &get(); }
  T& operator=(const T& value) { return get() = value; }

 private:
  T& get() { return shared_variable<T, Alignment>(slot_); }
  SharedSlot slot_;
};

// A function that is called whenever a block begins, on the host thread that runs the block: it points the
// names of shared arrays at namespace scope to the block's memory.
class BlockHook {
 public:
  explicit BlockHook(void (*function)());
  ~BlockHook();
  BlockHook(const BlockHook&) = delete;
  BlockHook& operator=(const BlockHook&) = delete;

 private:
  void (*function_)();
};

}  // namespace kgrade_emulated
