// cheat: computes seven elements of eight and puts NaN in the others
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// case: plain
//
// Sums and norms that skip values that are not finite see only right numbers. The NaNs are of both signs,
// quiet and signalling, in case one of them is compared by its bits.
#include <cmath>
#include <cstring>

#include "depthwise.cuh"

struct WithHoles {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    if (index % 8 != 7) return problem.value(index);
    const unsigned kinds[4] = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u};
    float hole;
    memcpy(&hole, &kinds[index / 8 % 4], sizeof hole);
    return hole;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithHoles()); }
