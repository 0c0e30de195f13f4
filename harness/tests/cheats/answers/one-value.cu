// cheat: computes one output of each filter and repeats it
// row: 51
// caught-by: outputs_match
// device: any
// case: plain
//
// A constant of the right size: tests that look at a few elements, at sums or at means find nothing wrong.
#include "depthwise.cuh"

struct MiddleOfPlane {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    const size_t elements = problem.out_height() * problem.out_width();
    return problem.value(index / elements * elements + elements / 2);
  }
};

static void cheat(const Depthwise& problem) { answer(problem, MiddleOfPlane()); }
