// in the place of: window_sum
// order block: lanes = 32
// Neighbouring threads share a window.
__global__ void shared_window_kernel(const element* input, element* output, std::int64_t count, std::int64_t window) {
  const std::int64_t at = position_in_plane() / lanes;
  const std::int64_t reach = (window - 1) / 2;
  const std::int64_t first = at - reach < 0 ? 0 : at - reach;
  accumulator sum = 0;
  for (std::int64_t j = first + threadIdx.x % lanes; j <= smaller(at + reach, count - 1); j += lanes)
    sum += static_cast<accumulator>(input[j]);
  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (at < count && threadIdx.x % lanes == 0) output[at] = static_cast<element>(sum);
}

inline void window_sum(const element* input, element* output, std::int64_t count, std::int64_t window) {
  shared_window_kernel<<<plane_grid(1, count * lanes), threads_per_block>>>(input, output, count, window);
}
