// The order in which the threads of a block, and the blocks of a grid, begin (device/thread_order.h).
#pragma once

#include <cstdint>
#include <vector>

#include "device/thread_order.h"

namespace kgrade_emulated {

using kgrade::ThreadOrder;

// The starting order of one launch. Each launch draws its shuffled orders from its own key.
struct StartOrder {
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t key = 0;
};

// The order of the process's next launch, as set_thread_order() has set it.
StartOrder next_start_order();

// Lists a block's threads, 0 .. count - 1, in starting order; the list is empty for the forward order.
void list_threads(const StartOrder& order, std::uint64_t block, unsigned int count,
                  std::vector<unsigned int>& threads);

// A bijection of 0 .. count - 1: which block begins at a position. In a shuffled order, successive blocks are
// `stride_` apart, so that grids of 2^63 blocks need no list.
class BlockOrder {
 public:
  BlockOrder(const StartOrder& order, std::uint64_t count);
  std::uint64_t operator[](std::uint64_t position) const {
    if (order_ == ThreadOrder::forward) return position;
    if (order_ == ThreadOrder::reverse) return count_ - 1 - position;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{position} * stride_ + offset_) % count_);
  }

 private:
  ThreadOrder order_;
  std::uint64_t count_;
  std::uint64_t stride_ = 1;  // has no divisor in common with the count
  std::uint64_t offset_ = 0;
};

}  // namespace kgrade_emulated
