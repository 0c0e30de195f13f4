#include "device/emulated/emulated_worker.h"

#include <sys/mman.h>

#include <chrono>

namespace kgrade::emulated {
namespace {

// Inaccessible on both sides of a buffer, so that running far off its end faults.
constexpr std::uint64_t margin_bytes = 1 << 20;

}  // namespace

std::uint64_t EmulatedWorker::map(UniqueFd descriptor, std::uint64_t bytes, bool writable) {
  const std::uint64_t total = bytes + 2 * margin_bytes;
  void* reserved = ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return 0;
  mappings_.push_back({reserved, total});
  char* address = static_cast<char*>(reserved) + margin_bytes;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  if (::mmap(address, bytes, protection, MAP_SHARED | MAP_FIXED, descriptor.get(), 0) == MAP_FAILED) return 0;
  return reinterpret_cast<std::uint64_t>(address);
}

void EmulatedWorker::unmap_all() {
  for (const Mapping& mapping : mappings_) ::munmap(mapping.reserved, mapping.bytes);
  mappings_.clear();
}

TimedCall EmulatedWorker::call(Entry entry, const unsigned long long* arguments) {
  TimedCall result;
  const auto start = std::chrono::steady_clock::now();
  result.error = entry(arguments);
  result.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace kgrade::emulated
