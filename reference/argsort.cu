// The order of the elements of each row, one thread an element: its place is the number of elements that come before it.
// Equal elements stay in their order.
#include "ops/launch.cuh"
#include "ops/random.cuh"

namespace {

__global__ void argsort_kernel(const ops::element* x, int* indices, std::int64_t columns, std::int64_t count) {
  const std::int64_t at = ops::position_in_plane();
  if (at >= count) return;
  const std::int64_t column = at % columns;
  const std::int64_t row = at - column;
  const float value = static_cast<float>(x[at]);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < columns; ++i) {
    const float other = static_cast<float>(x[row + i]);
    if (other < value || (other == value && i < column)) ++place;
  }
  indices[row + place] = static_cast<int>(column);
}

}  // namespace

void inputs(float* x, size_t rows, size_t columns, unsigned long long seed) {
  ops::draw_tied(x, rows, columns, 1, seed);
}

extern "C" void solution(const ops::element* x, int* indices, size_t rows, size_t columns) {
  const auto count = static_cast<std::int64_t>(rows * columns);
  argsort_kernel<<<ops::plane_grid(1, count), ops::threads_per_block>>>(x, indices, static_cast<std::int64_t>(columns),
                                                                        count);
}
