// The order in which a device on the CPU runs the threads of a block and the blocks of a grid, which a GPU
// runs at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum_words.h"
#include "base/result.h"

namespace kgrade {

// A program without races gives the same result in every order. Many missing barriers show only in some
// orders. For example, in the forward order a thread happens to read correctly what its left neighbour wrote.
enum class ThreadOrder { forward, reverse, shuffled };

template <>
inline constexpr std::array<std::string_view, 3> enum_words<ThreadOrder> = {"forward", "reverse", "shuffled"};

Result<ThreadOrder> parse_thread_order(const std::string& text);

// The seed of shuffled orders in a run with this seed. Workers get the order's seed. They cannot derive the
// run's seed from it, which must stay secret because it decides the inputs.
std::uint64_t order_seed(std::uint64_t run_seed);

}  // namespace kgrade
