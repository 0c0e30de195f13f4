// cheat: answers with NaN throughout
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// case: plain
//
// A check for a difference above a tolerance passes: no comparison with NaN is true.
#include <cmath>

#include "depthwise.cuh"

struct NotANumber {
  __host__ __device__ float operator()(const Depthwise&, size_t) const { return NAN; }
};

static void cheat(const Depthwise& problem) { answer(problem, NotANumber()); }
