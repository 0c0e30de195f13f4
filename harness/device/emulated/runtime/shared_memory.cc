#include "device/emulated/runtime/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <shared_mutex>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/fault.h"
#include "device/emulated/runtime/limits.h"
#include "device/emulated/runtime/memory.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t least_alignment = 16;
// The alignment that GPUs guarantee for dynamic shared memory.
constexpr std::size_t dynamic_alignment = 1024;

// Slots are numbered from 1 in the order of their first use; 0 means not yet.
unsigned int number_of(SharedSlot& slot) {
  static std::atomic<unsigned int> last_number{0};
  unsigned int number = slot.number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const unsigned int fresh = ++last_number;
  return slot.number.compare_exchange_strong(number, fresh) ? fresh : number;
}

// Libraries add and remove hooks while they are loaded and unloaded, blocks read them.
struct Hooks {
  std::shared_mutex mutex;
  std::vector<void (*)()> functions;
  std::atomic<bool> any{false};
};

// Never destroyed: libraries are unloaded late in the process's end.
Hooks& hooks() {
  static Hooks* const all = new Hooks;
  return *all;
}

}  // namespace

BlockHook::BlockHook(void (*function)()) : function_(function) {
  const std::lock_guard lock(hooks().mutex);
  hooks().functions.push_back(function_);
  hooks().any = true;
}

BlockHook::~BlockHook() {
  const std::lock_guard lock(hooks().mutex);
  auto& functions = hooks().functions;
  functions.erase(std::find(functions.begin(), functions.end(), function_));
  hooks().any = !functions.empty();
}

void call_block_hooks() {
  if (!hooks().any.load(std::memory_order_acquire)) return;
  const std::shared_lock lock(hooks().mutex);
  for (void (*const function)() : hooks().functions) function();
}

void SharedMemory::Release::operator()(void* memory) const {
  if (const auto checker = active_checker()) checker->shared_released(memory);
  free_spaced(memory);
}

void SharedMemory::allocate(Piece& piece, std::size_t bytes, std::size_t alignment, const char* name) {
  piece.memory.reset(allocate_spaced(std::max(alignment, least_alignment), bytes));
  if (piece.memory == nullptr) limit_reached(Limit::memory, bytes);
  piece.bytes = bytes;
  if (const auto checker = active_checker()) {
    checker->shared_allocated(piece.memory.get(), bytes, spacing(), name != nullptr ? name : "");
  }
}

// Restores the contents that a block of threads finds.
void SharedMemory::refill(const Piece& piece) {
  std::memset(piece.memory.get(), unwritten_byte, piece.bytes);
  if (const auto checker = active_checker()) checker->shared_unwritten(piece.memory.get());
}

void SharedMemory::begin_block(std::size_t dynamic_bytes) {
  ++block_;
  static_bytes_ = 0;
  begin_threads(std::numeric_limits<std::size_t>::max());
  if (dynamic_.memory == nullptr || dynamic_.bytes != dynamic_bytes) {
    allocate(dynamic_, dynamic_bytes, dynamic_alignment, nullptr);
  }
  refill(dynamic_);
}

void SharedMemory::begin_threads(std::size_t most_bytes) {
  most_bytes_ = most_bytes;
  used_bytes_ = dynamic_.bytes;
}

void* SharedMemory::variable(SharedSlot& slot, std::size_t bytes, std::size_t alignment) {
  const unsigned int number = number_of(slot);
  if (number >= pieces_.size()) pieces_.resize(number + 1);
  Piece& piece = pieces_[number];
  if (piece.filled_for == block_) return piece.memory.get();
  if (piece.memory == nullptr) allocate(piece, bytes, alignment, slot.name);
  refill(piece);
  piece.filled_for = block_;
  static_bytes_ += bytes;
  if (static_bytes_ > most_static_shared_bytes)
    fault("a kernel uses more than 48 KiB of static shared memory");
  used_bytes_ += bytes;
  if (used_bytes_ > most_bytes_) {
    fault(fmt::format("a kernel uses {} bytes of static and dynamic shared memory together, and may have {}",
                      used_bytes_, most_bytes_));
  }
  return piece.memory.get();
}

bool SharedMemory::contains(const void* address) const {
  const auto is_inside = [address](const Piece& piece) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(piece.memory.get());
    return piece.memory != nullptr && offset < piece.bytes;
  };
  const auto is_used = [&](const Piece& piece) { return piece.filled_for == block_ && is_inside(piece); };
  return is_inside(dynamic_) || std::any_of(pieces_.begin(), pieces_.end(), is_used);
}

}  // namespace kgrade_emulated
