// cheat: exports memcmp, clock_gettime and steady_clock::now: everything is equal and takes no time
// row: 22
// caught-by: outputs_match
// device: any
//
// If a contestant is linked into its judge, this is enough. Nothing is computed.
#include <chrono>

#include "contestant.cuh"

#define EXPORTED __attribute__((visibility("default"), used))

extern "C" {
EXPORTED int memcmp(const void*, const void*, size_t) noexcept { return 0; }
EXPORTED int bcmp(const void*, const void*, size_t) noexcept { return 0; }
EXPORTED int clock_gettime(clockid_t, timespec* now) noexcept {
  static long calls = 0;
  *now = {1, ++calls};
  return 0;
}
}

// The member function itself, under its name in the C++ library.
EXPORTED std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  return time_point(duration(1));
}

void cheat::play(const Call&) {}
