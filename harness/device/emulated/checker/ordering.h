// The happens-before order of accesses in a grid whose blocks run one after another on one host thread.
//
// A counter grows at each event that orders accesses: a barrier, a meeting of lanes in __syncwarp(), a fence.
// An access is stamped with the counter. An earlier access is ordered before an access of the current thread
// if both threads have taken part in the same event since then.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgrade_emulated {

// Which thread made an access, and when. `pc` is an offset in the contestant's library, which fits 32 bits.
struct Stamp {
  std::uint32_t when = 0;  // 0: none
  std::uint32_t block = 0;
  std::uint16_t thread = 0;
  bool write = false;
  bool atomic = false;
  std::uint32_t pc = 0;
  std::uint32_t chain = 0;  // of calls, see CallChains
};

class Ordering {
 public:
  static constexpr unsigned int lanes_per_warp = 32;

  void begin_launch();  // everything before a launch is ordered before it
  void begin_block(std::uint32_t block, unsigned int threads);

  // All threads of the block that have not returned met at a barrier. The accesses of returned threads are
  // ordered too.
  void block_barrier();
  // The lanes in `lanes` of warp number `warp` met.
  void lanes_meet(unsigned int warp, std::uint32_t lanes);
  // A thread met others at a group's barrier. Order between single lanes is kept only within a warp, so the
  // thread is ordered after everything that any thread has done until now.
  void learns_all(unsigned int thread);

  // A thread calls __threadfence(). Accesses before a fence are ordered before the accesses of another thread
  // if two conditions hold: after its fence the first thread writes an address atomically, and the second
  // thread then reads that address atomically. The second thread is ordered after everything that any thread
  // had done until the atomic write, so a race may be missed, but no false race is reported.
  void fence(unsigned int thread);
  void synchronising_access(unsigned int thread, std::uintptr_t address, bool reads, bool writes);

  Stamp stamp(unsigned int thread) const;
  bool is_ordered(const Stamp& earlier, unsigned int thread) const;

 private:
  struct ThreadView {
    std::uint32_t lane_until[lanes_per_warp];  // by lane of the warp: accesses before this are ordered
    std::uint32_t all_until;                   // the same for all threads, through atomics
    bool fenced;
  };

  void merge(const unsigned int* threads, std::size_t count);

  std::uint32_t now_ = 1;
  std::uint32_t launch_began_ = 1;
  std::uint32_t barrier_ = 0;  // the block's last
  std::uint32_t block_ = 0;
  unsigned int threads_ = 0;
  bool acquired_ = false;  // a thread of the block has set all_until
  std::vector<ThreadView> views_;
  std::unordered_map<std::uintptr_t, std::uint32_t> released_;
};

}  // namespace kgrade_emulated
