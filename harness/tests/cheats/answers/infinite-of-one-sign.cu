// cheat: writes the same infinity whichever sign is right
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// problem: problems/matrix-vector-overflow.md
//
// Half of the overflows here are negative. A check that both values are infinite confuses one with the other.
#include <cmath>

#include "matrix_vector.cuh"

struct Upwards {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    const float value = problem.value(row);
    return std::isinf(value) ? INFINITY : value;
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, Upwards()); }
