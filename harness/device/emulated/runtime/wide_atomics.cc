#include <cstring>
#include <mutex>

#include "kgrade_emulated/atomics.h"

namespace kgrade_emulated {
namespace {

// One lock for all addresses: such atomics are rare.
std::mutex& wide_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Bits128 atomic_exchange_128(void* address, Bits128 value) {
  const std::lock_guard lock(wide_mutex());
  Bits128 old;
  std::memcpy(&old, address, sizeof old);
  std::memcpy(address, &value, sizeof value);
  return old;
}

Bits128 atomic_compare_and_swap_128(void* address, Bits128 compare, Bits128 value) {
  const std::lock_guard lock(wide_mutex());
  Bits128 old;
  std::memcpy(&old, address, sizeof old);
  if (old == compare) std::memcpy(address, &value, sizeof value);
  return old;
}

}  // namespace kgrade_emulated
