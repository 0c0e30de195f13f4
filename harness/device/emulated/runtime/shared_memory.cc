#include "device/emulated/runtime/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/block_runner.h"
#include "device/emulated/runtime/limits.h"
#include "device/emulated/runtime/memory.h"

namespace kgrade_emulated {
namespace {

constexpr std::size_t least_alignment = 16;
// The alignment that GPUs guarantee for dynamic shared memory.
constexpr std::size_t dynamic_alignment = 1024;
// The size of the mapping for dynamic shared memory: whole pages, and enough for any launch.
constexpr std::size_t most_dynamic_bytes = 256 * 1024;
static_assert(most_dynamic_bytes >= limits::shared_bytes_per_block_opt_in);

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

// Slots are numbered from 1 in the order of their first use; 0 means not yet.
unsigned int number_of(SharedSlot& slot) {
  static std::atomic<unsigned int> last_number{0};
  unsigned int number = slot.number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const unsigned int fresh = ++last_number;
  return slot.number.compare_exchange_strong(number, fresh) ? fresh : number;
}

// Libraries add hooks when they are loaded, and remove them when they are unloaded. Blocks of threads call
// them.
struct Hooks {
  std::shared_mutex mutex;
  std::vector<void (*)()> functions;
  std::atomic<bool> any{false};
};

// The hooks are never destroyed, because some libraries are unloaded only at the very end of the process.
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

// Fills the memory with the pattern that a new block of threads finds there.
void SharedMemory::refill(const Piece& piece) {
  std::memset(piece.memory.get(), unwritten_byte, piece.bytes);
  if (const auto checker = active_checker()) checker->shared_unwritten(piece.memory.get());
}

// Places the memory so that its end, rounded up to the alignment, is where the inaccessible pages begin.
void SharedMemory::Dynamic::resize(std::size_t bytes) {
  if (is_checking()) return allocate_checked(bytes);
  if (mapping_ == nullptr) {
    void* const mapping = ::mmap(nullptr, most_dynamic_bytes + limits::shared_guard_bytes, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) limit_reached(Limit::memory, most_dynamic_bytes);
    mapping_ = static_cast<unsigned char*>(mapping);
    if (::mprotect(mapping_, most_dynamic_bytes, PROT_READ | PROT_WRITE) != 0)
      limit_reached(Limit::memory, most_dynamic_bytes);
  }
  bytes_ = bytes;
  begin_ = mapping_ + most_dynamic_bytes - rounded_up(bytes, dynamic_alignment);
}

void SharedMemory::Dynamic::allocate_checked(std::size_t bytes) {
  if (checked_ != nullptr && bytes_ == bytes) return;
  Piece piece;
  allocate(piece, bytes, dynamic_alignment, kgrade::dynamic_shared_object);
  checked_ = std::move(piece.memory);
  bytes_ = bytes;
  begin_ = static_cast<unsigned char*>(checked_.get());
}

SharedMemory::Dynamic::~Dynamic() {
  if (mapping_ != nullptr) ::munmap(mapping_, most_dynamic_bytes + limits::shared_guard_bytes);
}

void SharedMemory::Dynamic::refill() {
  if (checked_ == nullptr) {
    std::memset(begin_, unwritten_byte, rounded_up(bytes_, dynamic_alignment));
    return;
  }
  std::memset(begin_, unwritten_byte, bytes_);
  if (const auto checker = active_checker()) checker->shared_unwritten(begin_);
}

std::size_t SharedMemory::Dynamic::bytes_for(std::uintptr_t address) const {
  if (mapping_ == nullptr) return 0;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(mapping_) + most_dynamic_bytes;
  const bool is_behind = address >= end && address < end + limits::shared_guard_bytes;
  return is_behind ? address - reinterpret_cast<std::uintptr_t>(begin_) + 1 : 0;
}

// Bytes within the last unit do not count, because GPUs allocate shared memory in units, and a kernel may use
// all of its last unit.
std::size_t SharedMemory::Dynamic::bytes_written_beyond() const {
  constexpr std::size_t unit = 256;
  if (mapping_ == nullptr) return 0;
  std::size_t bytes = rounded_up(bytes_, dynamic_alignment);
  while (bytes > rounded_up(bytes_, unit) && begin_[bytes - 1] == unwritten_byte) --bytes;
  return bytes > rounded_up(bytes_, unit) ? bytes : 0;
}

void SharedMemory::begin_block(std::size_t dynamic_bytes) {
  ++block_;
  static_bytes_ = 0;
  begin_threads(std::numeric_limits<std::size_t>::max());
  dynamic_.resize(dynamic_bytes);
  dynamic_.refill();
}

void SharedMemory::begin_threads(std::size_t most_bytes) {
  most_bytes_ = most_bytes;
  used_bytes_ = dynamic_.bytes();
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
    fault(fmt::format("a kernel uses {} bytes of static shared memory, `{}` included, and may have {}",
                      static_bytes_, slot.name != nullptr ? slot.name : "", most_static_shared_bytes));
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
  const auto in_dynamic =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(dynamic_.begin());
  return in_dynamic < dynamic_.bytes() || std::any_of(pieces_.begin(), pieces_.end(), is_used);
}

}  // namespace kgrade_emulated
