// Shared by the baselines of all libraries: the class of arithmetic, device memory, and how a call fails.
//
// A contestant is loaded once and called many times. What is set up for a shape in its first call (plans,
// workspaces, descriptors) is kept for the life of the process, so that later calls only queue work, on the
// legacy default stream.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <utility>

// The build selects the class of arithmetic: 0 for products and sums in float32 only, 1 if tensor cores may
// round the factors to TF32.
#ifndef KGRADE_TF32
#error "a baseline is built with -DKGRADE_TF32=0 or -DKGRADE_TF32=1"
#endif

namespace baseline {

constexpr bool tf32_allowed = KGRADE_TF32 != 0;

// Prints why, and leaves an error for the caller's cudaGetLastError(): a baseline without a result must not
// look like one with a result.
inline void fail(const char* what) {
  std::fprintf(stderr, "baseline: %s\n", what);
  cudaSetDevice(-1);  // there is none: the last error is cudaErrorInvalidDevice now
}

inline bool ok(cudaError_t status) { return status == cudaSuccess; }

// Owns device memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { release(); }
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  // Makes it at least that large; the contents are lost if it was smaller. False, and empty, if there is not
  // enough memory.
  bool reserve(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    release();
    if (!ok(cudaMalloc(&data_, bytes))) {
      cudaGetLastError();  // the result reports it
      data_ = nullptr;
      return false;
    }
    bytes_ = bytes;
    return true;
  }
  void release() {
    if (data_ != nullptr) cudaFree(data_);
    data_ = nullptr;
    bytes_ = 0;
  }

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The workspace of all plans in this process, which use it one after another in the order of the stream.
inline DeviceMemory& workspace() {
  static DeviceMemory memory;
  return memory;
}

// Parts of a workspace begin at multiples of this.
constexpr std::size_t alignment_bytes = 256;
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

}  // namespace baseline
