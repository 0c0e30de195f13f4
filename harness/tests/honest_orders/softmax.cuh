// in the place of: softmax_sums
// order sequential: most_terms = 1 << 16, way = 0
// order online: most_terms = 1, way = 1
// order atomic: most_terms = 1, way = 2
// One thread adds a row, or `most_terms` of it: a sum of 2^18 exponentials in one float is off by 9e-5.
__device__ inline SoftmaxSums softmax_sums(const element* input, const Share& share, const SetBlocks& blocks) {
  __shared__ accumulator totals[threads_per_block];  // of each team
  const auto adders = static_cast<int>(smaller((blocks.sets.size() - 1) / most_terms + 1, blocks.team));
  const std::int64_t end = blocks.member() < adders ? share.end : 0;
  accumulator largest = -INFINITY, sum = 0;
  for (std::int64_t i = share.begin; i < end; i += adders) {
    const accumulator value = static_cast<accumulator>(input[blocks.sets.offset(share.set, i)]);
    const accumulator larger = std::fmax(largest, value);
    if (way == 1) sum = sum * std::exp(largest - larger) + std::exp(value - larger);
    largest = larger;
  }
  const accumulator own = largest;
  largest = combine_in_team<Maximum>(largest, blocks);
  if (way == 1) sum *= std::exp(own - largest);
  for (std::int64_t i = share.begin; way != 1 && i < end; i += adders)
    sum += std::exp(static_cast<accumulator>(input[blocks.sets.offset(share.set, i)]) - largest);
  if (way != 2) return {largest, combine_in_team<Add>(sum, blocks)};
  accumulator& total = totals[blocks.team_number()];
  if (blocks.member() == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, sum);
  __syncthreads();
  const accumulator all = total;
  __syncthreads();
  return {largest, all};
}
