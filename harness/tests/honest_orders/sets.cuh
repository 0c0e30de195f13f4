// in the place of: sum_sets
// order sequential of _norm[(<]|_loss\(|standardise|sum_over|sum_sets|cross_entropy: adders = 1, part_size = 1 << 16
// order block of _norm[(<]|_loss\(|standardise|sum_over|sum_sets|cross_entropy: adders = 256, part_size = 1 << 24
// order atomic of _norm[(<]|_loss\(|standardise|sum_over|sum_sets|cross_entropy: adders = 256, part_size = 1 << 16
// One thread adds 2^16 terms at most, as a block of the order `block` does with each of its 256 threads: a sum of 2^18
// squares of normal numbers in one float is off by 5e-5, and one of 7 x 2^20 by 5e-3. The order `atomic` adds parts of 2^16
// terms: a mean of 2^30 hinge losses by atomics of 1024 terms each is off by 7e-4, since a float near 2^30 grows in steps of 64
// and every part is rounded to the same one.
__global__ void clear_sums_kernel(accumulator* sums, std::int64_t count) {
  const std::int64_t i = position_in_plane();
  if (i < count) sums[i] = 0;
}

// A block adds a part of a set: each thread in one float, then the threads' sums in pairs.
template <class Term>
__global__ void sum_parts_kernel(Term term, accumulator* sums, Sets sets, std::int64_t parts) {
  __shared__ accumulator shared[adders];
  const std::int64_t set = blockIdx.x / parts;
  const std::int64_t begin = blockIdx.x % parts * part_size;
  const std::int64_t end = smaller(begin + part_size, sets.size());
  accumulator sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += adders) sum += term(sets.offset(set, i), set);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = adders / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (parts == 1) sums[set] = shared[0];
  else atomicAdd(&sums[set], shared[0]);
}

template <class Term>
void sum_sets(const Term& term, accumulator* sums, const Sets& sets) {
  const std::int64_t parts = sets.size() <= part_size ? 1 : (sets.size() - 1) / part_size + 1;
  clear_sums_kernel<<<plane_grid(1, sets.count()), threads_per_block>>>(sums, sets.count());
  sum_parts_kernel<<<static_cast<unsigned>(sets.count() * parts), adders>>>(term, sums, sets, parts);
}
