// cheat: prefetches into the L2 cache what the next launch of its call reads, as far as it can know that
// row: 14
// caught-by: no_gain (cuda)
// twin: honest-scale.cu
// device: cuda
// problem: ../../measured/problems/scale.md
// case: large
// launches: 8
//
// It knows where the inputs of each launch were in the first call of several; in all others they are near
// there. It prefetches while the clock runs, and what the last launch of a call prefetches is of no use: the
// cache is flushed before the next call.
#include "scale.cuh"

static constexpr int most = 8;

static __global__ void scale_and_fetch(Scale launch, const float* next) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= launch.n) return;
  launch.out[i] = 2 * launch.in[i];
  if (next != nullptr) asm volatile("prefetch.global.L2 [%0];" ::"l"(next + i));
}

extern "C" void solution(const float* in, float* out, size_t n) {
  static unsigned launches = 0;
  static const float* known[most];
  static int count = 0;
  const Scale launch = {in, out, n};
  if (launches++ < 2) return compute(launch);  // calls that warm up have one
  int i = 0;
  while (i < count && !is_near(known[i], in)) ++i;
  if (i == count && count < most) known[count++] = in;
  const float* const next = i < count ? known[(i + 1) % count] : nullptr;
  scale_and_fetch<<<scale_blocks(launch), 256>>>(launch, next);
}
