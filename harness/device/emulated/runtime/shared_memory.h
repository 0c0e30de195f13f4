// The shared memory of the block that a host thread runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kgrade_emulated/shared.h"

namespace kgrade_emulated {

// Each variable is a heap block of its own size. Heap blocks are kept for the next block of threads, and
// filled with 0xff bytes again.
class SharedMemory {
 public:
  void begin_block(std::size_t dynamic_bytes);
  // Call it after the hooks. A block has `most_bytes` of static and dynamic memory. Memory that the hooks
  // asked for does not count, since it may hold variables of other kernels.
  void begin_threads(std::size_t most_bytes);

  void* variable(SharedSlot& slot, std::size_t bytes, std::size_t alignment);
  void* dynamic() const { return dynamic_.begin(); }
  // The size that the block's dynamic memory would need for an access to `address`, if `address` is in the
  // inaccessible memory behind it. Otherwise 0. Safe in a signal handler.
  std::size_t dynamic_bytes_for(std::uintptr_t address) const { return dynamic_.bytes_for(address); }
  // The size that the block's dynamic memory would need for what threads of the block wrote into the
  // accessible bytes behind it.
  std::size_t dynamic_bytes_written_beyond() const { return dynamic_.bytes_written_beyond(); }
  // Whether an address lies in memory that the current block uses.
  bool contains(const void* address) const;

 private:
  struct Release {
    void operator()(void* memory) const;
  };
  struct Piece {
    std::unique_ptr<void, Release> memory;
    std::size_t bytes = 0;
    std::uint64_t filled_for = 0;  // the block of threads for which it was last filled
  };

  // Dynamic memory, with inaccessible memory behind it: a launch that asks for too little would otherwise
  // overwrite the heap. In a checked run, dynamic memory is an ordinary heap block, since the checker sees
  // each access.
  class Dynamic {
   public:
    Dynamic() = default;
    ~Dynamic();
    Dynamic(const Dynamic&) = delete;
    Dynamic& operator=(const Dynamic&) = delete;

    void resize(std::size_t bytes);
    void refill();
    void* begin() const { return begin_; }
    std::size_t bytes() const { return bytes_; }
    std::size_t bytes_for(std::uintptr_t address) const;
    std::size_t bytes_written_beyond() const;

   private:
    void allocate_checked(std::size_t bytes);

    std::unique_ptr<void, Release> checked_;
    unsigned char* mapping_ = nullptr;
    unsigned char* begin_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // `name` is the variable's, for messages; null when it is not known.
  static void allocate(Piece& piece, std::size_t bytes, std::size_t alignment, const char* name);
  static void refill(const Piece& piece);

  std::vector<Piece> pieces_;  // by slot number
  Dynamic dynamic_;
  std::uint64_t block_ = 0;
  std::size_t static_bytes_ = 0;  // in use by this block
  std::size_t most_bytes_ = 0;    // of this block
  // Dynamic memory, and static memory that threads asked for. Memory that the hooks asked for does not count,
  // because hooks use the variables of all kernels.
  std::size_t used_bytes_ = 0;
};

// Calls the functions that contestants want called whenever a block begins (BlockHook in
// kgrade_emulated/shared.h).
void call_block_hooks();

}  // namespace kgrade_emulated
