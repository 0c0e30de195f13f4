// Definitions that libcu++'s headers share: thread scopes (CUDA C++ Core Libraries, "Thread Scopes"), and
// cuda::std, which is the host's standard library here.
#pragma once

#include <cstddef>
#include <cstring>

#include "cuda_runtime.h"

namespace std {}
namespace cuda::std {
using namespace ::std;
}

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size with a promise about the alignment of what is copied.
template <std::size_t Alignment>
struct aligned_size_t {
  static constexpr std::size_t align = Alignment;
  std::size_t value;
  constexpr explicit aligned_size_t(std::size_t bytes) : value(bytes) {}
  constexpr operator std::size_t() const { return value; }
};

}  // namespace cuda

namespace kgrade_emulated {

// Copies the calling thread's share of what its group copies together. The copy is complete on return.
template <class Group, class Bytes>
void copy_share(const Group& group, void* destination, const void* source, const Bytes& size) {
  constexpr std::size_t piece = 16;
  const std::size_t bytes = size;
  for (std::size_t at = group.thread_rank() * piece; at < bytes; at += group.size() * piece) {
    std::memcpy(static_cast<char*>(destination) + at, static_cast<const char*>(source) + at,
                bytes - at < piece ? bytes - at : piece);
  }
}

}  // namespace kgrade_emulated
