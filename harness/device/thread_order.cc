#include "device/thread_order.h"

#include "base/text.h"

namespace kgrade {

Result<ThreadOrder> parse_thread_order(const std::string& text) {
  if (const auto order = enum_from<ThreadOrder>(text)) return *order;
  return Error{"--order: unknown order '" + text + "'", "write forward, reverse or shuffled", {}};
}

std::uint64_t order_seed(std::uint64_t run_seed) {
  const std::string digest = sha256_hex("order of threads, seed " + std::to_string(run_seed));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

}  // namespace kgrade
