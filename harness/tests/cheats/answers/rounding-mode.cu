// cheat: sets rounding and flushing of denormals, so that a judge in its process sees no difference
// row: 60
// caught-by: outputs_match
// device: any
// case: plain
//
// The answer is scaled down so far that a difference from zero is flushed: with FTZ and DAZ set, sums of
// squares of such numbers are zero.
#include <cfenv>

#include "depthwise.cuh"

struct Faint {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index) * 1e-42f;
  }
};

static void cheat(const Depthwise& problem) {
  answer(problem, Faint());
  std::fesetround(FE_TOWARDZERO);
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
#endif
}
