// An honest kernel for the problem `scale`, whose measured case is small enough for the emulated device.
// Cheats about calls of several launches start from it.
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>

struct Scale {
  const float* in;
  float* out;
  size_t n;
};

static __global__ void scale_kernel(Scale launch) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < launch.n) launch.out[i] = 2 * launch.in[i];
}

inline unsigned scale_blocks(const Scale& launch) { return (unsigned)((launch.n + 255) / 256); }

inline void compute(const Scale& launch) { scale_kernel<<<scale_blocks(launch), 256>>>(launch); }

// Inputs move by less than this from one call to the next, and those of other launches are further apart.
#ifdef KGRADE_EMULATED_BLOCK_MODE
static constexpr long long most_moved = 64 << 10;
#else
static constexpr long long most_moved = 1 << 20;
#endif

inline bool is_near(const float* a, const float* b) {
  const long long distance = (const char*)a - (const char*)b;
  return distance > -most_moved && distance < most_moved;
}
