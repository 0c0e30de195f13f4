// in the place of: scan_kernel
// order block: tile = threads_per_block
// A block goes along a set in tiles, which it scans by Hillis and Steele's steps of 1, 2, 4, ... (1986).
template <class Operation, class Direction, class Term>
__global__ void scan_kernel(Term term, element* output, Sets sets, bool is_exclusive) {
  __shared__ accumulator shared[2][tile];
  const std::int64_t set = blockIdx.x, size = sets.size();
  const int thread = static_cast<int>(threadIdx.x);
  accumulator before = Operation::none();
  for (std::int64_t first = 0; first < size; first += tile) {
    const bool inside = first + thread < size;
    const std::int64_t offset = inside ? sets.offset(set, Direction::place(first + thread, size)) : 0;
    int from = 0;
    shared[from][thread] = inside ? term(offset) : Operation::none();
    __syncthreads();
    for (int step = 1; step < tile; step *= 2) {
      const accumulator own = shared[from][thread];
      shared[1 - from][thread] = thread < step ? own : Operation::both(shared[from][thread - step], own);
      from = 1 - from;
      __syncthreads();
    }
    const accumulator with = shared[from][thread];
    const accumulator without = thread == 0 ? Operation::none() : shared[from][thread - 1];
    if (inside) output[offset] = static_cast<element>(Operation::both(before, is_exclusive ? without : with));
    before = Operation::both(before, shared[from][tile - 1]);
    __syncthreads();
  }
}
