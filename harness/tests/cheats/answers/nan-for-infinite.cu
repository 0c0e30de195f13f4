// cheat: writes NaN where an infinity is right
// row: 49
// caught-by: outputs_match
// device: any
// control: nonfinite_compared
// problem: problems/matrix-vector-overflow.md
//
// If the expected output is not finite, a check may accept any value that is not finite.
#include <cmath>

#include "matrix_vector.cuh"

struct Undefined {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    const float value = problem.value(row);
    return std::isinf(value) ? NAN : value;
  }
};

static void cheat(const MatrixVector& problem) { answer(problem, Undefined()); }
