// Groups of threads of a block (Programming Guide, "Cooperative Groups", "Group Types"): lanes of one warp
// (tiles of up to 32 threads, coalesced groups), and larger tiles.
#pragma once

#include "kgrade_emulated/shared.h"
#include "kgrade_emulated/synchronisation.h"
#include "kgrade_emulated/warp.h"

namespace kgrade_emulated {

// x fastest, as the scheduler counts.
inline unsigned int rank_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

inline unsigned int lane_count(unsigned int mask) {
  return static_cast<unsigned int>(__builtin_popcount(mask));
}
inline unsigned int lowest_lane(unsigned int mask) { return static_cast<unsigned int>(__builtin_ctz(mask)); }
inline unsigned int lanes_below(unsigned int lane) { return (1u << lane) - 1; }

// The `count` lanes from `first` on; count is 1 to 32.
inline unsigned int lanes_from(unsigned int first, unsigned int count) {
  return (~0u >> (32 - count)) << first;
}

// The lane that is number `rank` in the mask; 32 when the mask has fewer.
inline unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  while (mask != 0 && rank-- > 0) mask &= mask - 1;
  return mask != 0 ? lowest_lane(mask) : 32;
}

// The bits of `lanes` that stand in the mask, moved together: bit r is that of the lane with rank r.
inline unsigned int by_rank(unsigned int lanes, unsigned int mask) {
  unsigned int result = 0;
  for (unsigned int rank = 0; mask != 0; mask &= mask - 1, ++rank) {
    result |= (lanes >> lowest_lane(mask) & 1u) << rank;
  }
  return result;
}

// A value that each lane of a mask offers to the others. They can read it while this object lives, and its
// destructor waits for all of them.
template <class T>
class Offers {
 public:
  Offers(unsigned int mask, const T& value) : mask_(mask) {
    const WarpValues met(WarpOperation::reduce, mask, reinterpret_cast<unsigned long long>(&value));
    for (unsigned int lane = 0; lane < 32; ++lane) {
      offered_[lane] = met.has(lane) ? reinterpret_cast<const T*>(met[lane]) : nullptr;
    }
  }
  ~Offers() { const WarpValues parted(WarpOperation::reduce, mask_, 0); }
  Offers(const Offers&) = delete;
  Offers& operator=(const Offers&) = delete;

  // Null when the lane has returned from the kernel or is not in the mask.
  const T* operator[](unsigned int lane) const { return offered_[lane]; }

 private:
  unsigned int mask_;
  const T* offered_[32];
};

// A value of any size from another lane, 8 bytes at a time.
template <class T>
T shuffle_object(unsigned int mask, const T& value, unsigned int source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 32, "CUDA shuffles up to 32 bytes");
  unsigned long long words[(sizeof(T) + 7) / 8] = {};
  std::memcpy(words, &value, sizeof value);
  for (unsigned long long& word : words) word = shuffle(mask, word, source);
  T result = value;
  std::memcpy(static_cast<void*>(&result), words, sizeof result);
  return result;
}

// Lanes of the calling thread's warp, ranked from the lowest on.
class LaneGroup {
 public:
  LaneGroup(unsigned int mask, unsigned int meta_rank, unsigned int meta_size)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  unsigned int size() const { return lane_count(mask_); }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const { return lane_count(mask_ & lanes_below(rank_in_block() % 32)); }
  unsigned int meta_group_rank() const { return meta_rank_; }
  unsigned int meta_group_size() const { return meta_size_; }
  void sync() const { __syncwarp(mask_); }

  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned int ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate), mask_); }
  template <class T>
  unsigned int match_any(T value) const {
    return by_rank(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  unsigned int match_all(T value, int& predicate) const {
    return by_rank(__match_all_sync(mask_, value, &predicate), mask_);
  }

  unsigned int lanes() const { return mask_; }

 protected:
  const LaneGroup& as_lanes() const { return *this; }

  // The value of the thread with this rank; the caller's own value if there is none.
  template <class T>
  T from_rank(const T& value, unsigned int rank) const {
    return shuffle_object(mask_, value, lane_of_rank(mask_, rank));
  }

 private:
  unsigned int mask_;
  unsigned int meta_rank_;
  unsigned int meta_size_;
};

// Tiles of 64 to 1024 threads: they meet at a place of their own, and exchange values through the block's
// shared memory.
template <unsigned int Size>
class WideTile {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile has a power of two of up to 1024 threads");

 public:
  WideTile(unsigned int meta_rank, unsigned int meta_size) : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  static unsigned int thread_rank() { return rank_in_block() & (Size - 1); }
  unsigned int meta_group_rank() const { return meta_rank_; }
  unsigned int meta_group_size() const { return meta_size_; }

  void sync() const {
    static constexpr char places[1024 / Size] = {};
    meet_in_block(&places[rank_in_block() / Size], Size);
  }

  template <class T>
  T shfl(T value, int source) const {
    T result = value;
    with_offers(value, [&](const auto& offered) {
      result = *static_cast<const T*>(offered[static_cast<unsigned int>(source) & (Size - 1)]);
    });
    return result;
  }
  int any(int predicate) const {
    bool result = false;
    with_offers(predicate, [&](const auto& offered) {
      for (const void* other : offered) result = result || *static_cast<const int*>(other) != 0;
    });
    return result;
  }
  int all(int predicate) const { return !any(!predicate); }

  // `read` gets the address of every thread's value, by rank.
  template <class T, class Read>
  void with_offers(const T& value, const Read& read) const {
    using Offered = const void* [Size];
    static SharedSlot slot;
    Offered& offered = shared_variable<Offered[1024 / Size]>(slot)[rank_in_block() / Size];
    offered[thread_rank()] = &value;
    sync();
    read(offered);
    sync();
  }

 private:
  unsigned int meta_rank_;
  unsigned int meta_size_;
};

}  // namespace kgrade_emulated
