// in the place of: softmax_sums
// order sequential: most_terms = 1 << 16, way = 0
// order online: most_terms = 1, way = 1
// order atomic: most_terms = 1, way = 2
// One thread adds a row, or `most_terms` of it: a sum of 2^18 exponentials in one float is off by 9e-5.
__device__ inline SoftmaxSums softmax_sums(const element* input, const Sets& sets) {
  __shared__ accumulator total;
  const auto adders = static_cast<unsigned>(smaller((sets.size() - 1) / most_terms + 1, threads_per_block));
  const std::int64_t set = blockIdx.x;
  accumulator largest = -INFINITY, sum = 0;
  for (std::int64_t i = threadIdx.x; threadIdx.x < adders && i < sets.size(); i += adders) {
    const accumulator value = static_cast<accumulator>(input[sets.offset(set, i)]);
    const accumulator larger = std::fmax(largest, value);
    if (way == 1) sum = sum * std::exp(largest - larger) + std::exp(value - larger);
    largest = larger;
  }
  const accumulator own = largest;
  largest = block_max(largest);
  if (way == 1) sum *= std::exp(own - largest);
  for (std::int64_t i = threadIdx.x; way != 1 && threadIdx.x < adders && i < sets.size(); i += adders)
    sum += std::exp(static_cast<accumulator>(input[sets.offset(set, i)]) - largest);
  if (way != 2) return {largest, block_sum(sum)};
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, sum);
  __syncthreads();
  const accumulator all = total;
  __syncthreads();
  return {largest, all};
}
