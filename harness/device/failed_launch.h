// A kernel launch that failed, as a worker reports it. The structure is part of a message, so it has a fixed
// size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

namespace kgrade {

struct FailedLaunch {
  std::int32_t error = 0;            // cudaError_t; 0: no launch failed
  std::uint32_t is_known = 0;        // 1: grid, block and shared memory are known
  std::uint32_t grid[3] = {};        // blocks
  std::uint32_t block[3] = {};       // threads
  std::uint64_t dynamic_shared = 0;  // bytes that the launch asks for
  char kernel[64] = {};              // its name; empty: unknown
  char place[64] = {};               // of the launch, "mine.cu:20"; empty: unknown
};

// Copies as much of the text as fits, with a zero at the end.
template <std::size_t Size>
void set_text(char (&target)[Size], std::string_view text) {
  const std::size_t count = std::min(text.size(), Size - 1);
  std::copy_n(text.begin(), count, target);
  target[count] = '\0';
}

// The first failed launch of a call. Any thread may note a failed launch.
class FirstFailedLaunch {
 public:
  void note(const FailedLaunch& launch) {
    const std::lock_guard lock(mutex_);
    if (first_.error == 0) first_ = launch;
  }
  // Returns the failed launch, and forgets it.
  FailedLaunch take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, {});
  }

 private:
  std::mutex mutex_;
  FailedLaunch first_;
};

}  // namespace kgrade
