// cheat: computes every second element and puts infinities of both signs in the others
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// case: plain
//
// An error of infinity over a norm of infinity is NaN, and passes if nothing checks for that.
#include <cmath>

#include "depthwise.cuh"

struct WithInfinities {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    if (index % 2 == 0) return problem.value(index);
    return index % 4 == 1 ? INFINITY : -INFINITY;
  }
};

static void cheat(const Depthwise& problem) { answer(problem, WithInfinities()); }
