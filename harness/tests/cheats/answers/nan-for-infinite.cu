// cheat: writes NaN where an infinity is right
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// problem: problems/matrix-vector-overflow.md
//
// Where the expected output is not finite any value that is not finite may pass for it.
#include <cmath>

#include "matrix_vector.cuh"

struct Undefined {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    const float value = problem.value(row);
    return std::isinf(value) ? NAN : value;
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, Undefined()); }
