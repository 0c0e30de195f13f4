// Tiles of 64 to 1024 threads: they meet at a place of their own, and exchange values through the block's
// shared memory.
#pragma once

#include "kgrade_emulated/groups_lanes.h"
#include "kgrade_emulated/shared.h"
#include "kgrade_emulated/sleep.h"

namespace kgrade_emulated {

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
