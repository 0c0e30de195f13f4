#include "device/thread_order.h"

#include <array>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::array<std::string_view, 3> names = {"forward", "reverse", "shuffled"};

}  // namespace

std::string_view to_string(ThreadOrder order) { return names[static_cast<std::size_t>(order)]; }

Result<ThreadOrder> parse_thread_order(const std::string& text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return static_cast<ThreadOrder>(i);
  }
  return Error{"--order: unknown order '" + text + "'", "write forward, reverse or shuffled", {}};
}

std::uint64_t order_seed(std::uint64_t run_seed) {
  const std::string digest = sha256_hex("order of threads, seed " + std::to_string(run_seed));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace kgrade
