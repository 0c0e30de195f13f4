// Counts the work that the accesses of each launch would cause in a GPU's memory: requests of warps, sectors
// of global memory, and passes over the banks of shared memory.
//
// Threads run one after the other here, so a warp's requests are put together afterwards. A request consists
// of the n-th accesses of the warp's threads at one place of the code since their last barrier. A thread's
// accesses to adjacent addresses count as one access if they follow each other directly and are aligned like
// a vector of up to 16 bytes, because the compiler splits vector types. Sizes are those of NVIDIA's GPUs
// since Volta: warps of 32, sectors of 32 bytes, and 32 banks of 4 bytes (CUDA C++ Programming Guide,
// "Compute Capabilities").
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "device/finding_book.h"

namespace kgrade_emulated {

class AccessCounts {
 public:
  explicit AccessCounts(kgrade::FindingBook& book) : book_(book) {}

  // An access of the running kernel to memory with known bounds.
  struct CountedAccess {
    std::uint64_t piece = 0;   // identifies the piece of memory
    std::uint64_t offset = 0;  // in the piece; the piece begins at an aligned address
    std::uint32_t bytes = 0;
    bool shared = false;
    bool write = false;
    bool atomic = false;
    std::uint64_t pc = 0;      // in the form of the book's places
    std::uint32_t chain = 0;   // of calls
    std::uint32_t thread = 0;  // its number in the block
  };
  void note(const CountedAccess& access);

  void begin_call();
  // `grid` and `block` are extents.
  void begin_launch(const char* kernel, const std::array<std::uint32_t, 3>& grid,
                    const std::array<std::uint32_t, 3>& block);
  // Call this at a barrier of the block, and at the block's end.
  void settle_block();
  void note_barrier();
  void end_launch();

 private:
  static constexpr unsigned int lanes = 32;

  static constexpr std::size_t none = ~std::size_t{0};

  // One access of each thread of the warp, except threads that did not make it.
  struct Request {
    bool shared = false;
    bool write = false;
    std::uint64_t pc = 0;
    std::uint32_t mask = 0;
    // The request of the threads' previous accesses, if it is the same for all threads and each thread's
    // access continues the previous one.
    std::size_t previous = none;
    std::size_t first = none;  // the request with which this one was joined
    std::array<std::uint64_t, lanes> offset;
    std::array<std::uint32_t, lanes> bytes;
  };
  // A place in the code, for one warp.
  struct Place {
    std::array<std::uint32_t, lanes> made{};  // by lane: how many accesses
    std::vector<std::size_t> requests;
  };
  // The latest access of a thread.
  struct Latest {
    std::size_t request = none;
    std::uint64_t piece = 0;
    std::uint64_t end = 0;
    std::uint32_t bytes = 0;
  };
  std::size_t request_of(const CountedAccess& access);
  std::size_t previous_of(const CountedAccess& access) const;
  void join_parts(std::size_t number);
  void count(const Request& request);
  void count_global(const Request& request);
  void count_shared(const Request& request);
  void charge(kgrade::CountedPlace& worst, std::unordered_map<std::uint64_t, std::uint64_t>& all,
              std::uint64_t pc, std::uint64_t excess);

  kgrade::FindingBook& book_;
  kgrade::LaunchCounts* launch_ = nullptr;  // null: the book is full
  std::uint32_t threads_ = 0;               // of a block
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Request> requests_;  // in the order in which they began
  std::vector<Latest> latest_;     // by thread
  // Sectors and passes beyond the least possible number, by place in the code of the present launch's kernel.
  std::unordered_map<std::uint64_t, std::uint64_t> excess_sectors_;
  std::unordered_map<std::uint64_t, std::uint64_t> excess_passes_;
};

}  // namespace kgrade_emulated
