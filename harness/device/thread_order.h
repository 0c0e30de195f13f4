// The order in which the emulated device runs what a GPU runs at the same time: the threads of a block, and
// the blocks of a grid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

// A program without races gives the same result in every order. Many missing barriers show in one order only:
// a thread that reads what its left neighbour wrote is right by luck in the forward order.
enum class ThreadOrder { forward, reverse, shuffled };

std::string_view to_string(ThreadOrder order);
Result<ThreadOrder> parse_thread_order(const std::string& text);

// The seed of shuffled orders, in a run with this seed. Workers get the order's seed, and cannot derive the
// run's seed from it, which decides the inputs.
std::uint64_t order_seed(std::uint64_t run_seed);

}  // namespace kgrade
