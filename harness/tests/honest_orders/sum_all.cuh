// in the place of: sum_all
// order sequential: adders = 1, part_size = 1 << 16
// order block: adders = 256, part_size = std::int64_t(1) << 40
// order atomic: adders = 256, part_size = 1024
// One thread adds 2^16 terms at most: a sum of 2^18 squares of normal numbers in one float is off by 5e-5.
__global__ void clear_sum_kernel(accumulator* sum) { *sum = 0; }

// A block adds a part: each thread in one float, then the threads' sums in pairs.
__global__ void add_part_kernel(const accumulator* values, std::int64_t count, accumulator* total) {
  __shared__ accumulator shared[adders];
  const std::int64_t begin = blockIdx.x * part_size;
  const std::int64_t end = smaller(begin + part_size, count);
  accumulator sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += adders) sum += values[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = adders / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, shared[0]);
}

__global__ void write_sum_kernel(const accumulator* sum, element* output) { *output = static_cast<element>(*sum); }

inline void sum_all(const accumulator* values, std::int64_t count, element* output) {
  const Intermediate total(1);
  if (total.data() == nullptr) return;
  clear_sum_kernel<<<1, 1>>>(total.data());
  add_part_kernel<<<static_cast<unsigned>((count - 1) / part_size + 1), adders>>>(values, count, total.data());
  write_sum_kernel<<<1, 1>>>(total.data(), output);
}
