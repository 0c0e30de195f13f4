#include "device/emulated/runtime/shared_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device/emulated/runtime/fault.h"

namespace kgrade_emulated {
namespace {

constexpr int unwritten = 0xff;
constexpr std::size_t least_alignment = 16;
// What GPUs guarantee for the dynamic part.
constexpr std::size_t dynamic_alignment = 1024;

// Slots are numbered from 1 in the order of their first use; 0 means not yet.
unsigned int number_of(SharedSlot& slot) {
  static std::atomic<unsigned int> last_number{0};
  unsigned int number = slot.number.load(std::memory_order_relaxed);
  if (number != 0) return number;
  const unsigned int fresh = ++last_number;
  return slot.number.compare_exchange_strong(number, fresh) ? fresh : number;
}

}  // namespace

void SharedMemory::Release::operator()(void* memory) const { std::free(memory); }

void SharedMemory::allocate(Piece& piece, std::size_t bytes, std::size_t alignment) {
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, least_alignment), std::max<std::size_t>(bytes, 1)) != 0) {
    fault("no memory for the shared memory of a block");
  }
  piece.memory.reset(memory);
  piece.bytes = bytes;
}

void SharedMemory::begin_block(std::size_t dynamic_bytes) {
  ++block_;
  static_bytes_ = 0;
  if (dynamic_.memory == nullptr || dynamic_.bytes != dynamic_bytes) {
    allocate(dynamic_, dynamic_bytes, dynamic_alignment);
  }
  std::memset(dynamic_.memory.get(), unwritten, dynamic_bytes);
}

void* SharedMemory::variable(SharedSlot& slot, std::size_t bytes, std::size_t alignment) {
  const unsigned int number = number_of(slot);
  if (number >= pieces_.size()) pieces_.resize(number + 1);
  Piece& piece = pieces_[number];
  if (piece.filled_for == block_) return piece.memory.get();
  if (piece.memory == nullptr) allocate(piece, bytes, alignment);
  std::memset(piece.memory.get(), unwritten, bytes);
  piece.filled_for = block_;
  static_bytes_ += bytes;
  if (static_bytes_ > most_static_shared_bytes)
    fault("a kernel uses more than 48 KiB of static shared memory");
  return piece.memory.get();
}

}  // namespace kgrade_emulated
