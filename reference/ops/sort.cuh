// Sorts numbers by merging: runs of one number become sorted runs of two, four and so on. In a pass, each
// number finds its place in the merged run by counting the numbers of the neighbouring run that come before
// it.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// The count of sorted numbers from `begin` to before `end` that are less than `value`, or equal if
// `or_equal`.
__device__ inline std::int64_t count_before(const int* sorted, std::int64_t begin, std::int64_t end, int value,
                                            bool or_equal) {
  std::int64_t low = begin, high = end;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const bool is_before = or_equal ? sorted[middle] <= value : sorted[middle] < value;
    if (is_before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - begin;
}

// Merges neighbouring runs. Equal numbers of the left run come first.
__global__ void merge_runs_kernel(const int* from, int* to, std::int64_t count, std::int64_t run) {
  const std::int64_t at = position_in_plane();
  if (at >= count) return;
  const std::int64_t number = at / run;
  const bool is_right = number % 2 == 1;
  const std::int64_t own = number * run;
  const std::int64_t neighbour = smaller(is_right ? own - run : own + run, count);
  const std::int64_t end = smaller(neighbour + run, count);
  const std::int64_t first = is_right ? neighbour : own;
  to[first + (at - own) + count_before(from, neighbour, end, from[at], is_right)] = from[at];
}

inline void sort(const int* input, int* output, std::int64_t count) {
  const Intermediate one(count), other(count);
  if (one.data() == nullptr || other.data() == nullptr) return;
  const dim3 grid = plane_grid(1, count);
  const int* from = input;
  int* to = reinterpret_cast<int*>(one.data());
  int* next = reinterpret_cast<int*>(other.data());
  std::int64_t run = 1;
  for (; 2 * run < count; run *= 2) {
    merge_runs_kernel<<<grid, threads_per_block>>>(from, to, count, run);
    from = to;
    to = next;
    next = const_cast<int*>(from);
  }
  merge_runs_kernel<<<grid, threads_per_block>>>(from, output, count, run);
}

}  // namespace ops
