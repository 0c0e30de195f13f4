// in the place of: reduce
// order block of ops::Sum|ops::Mean|ops::Product: adders = 256, part_size = std::int64_t(1) << 40
// order atomic of ops::Sum|ops::Mean: adders = 32, part_size = 256
template <class Fold>
__global__ void clear_items_kernel(typename Fold::Item* items, std::int64_t count) {
  const std::int64_t i = position_in_plane();
  if (i < count) items[i] = Fold::none();
}

// A block adds a part of a set: each thread in one float, then the threads' sums in pairs.
template <class Fold>
__global__ void reduce_part_kernel(const element* input, typename Fold::Item* items, Sets sets, std::int64_t parts) {
  __shared__ typename Fold::Item shared[adders];
  const std::int64_t set = blockIdx.x / parts;
  const std::int64_t begin = blockIdx.x % parts * part_size;
  const std::int64_t end = smaller(begin + part_size, sets.size());
  typename Fold::Item mine = Fold::none();
  for (std::int64_t i = begin + threadIdx.x; i < end; i += adders)
    mine = Fold::both(mine, Fold::of(static_cast<accumulator>(input[sets.offset(set, i)]), i));
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = adders / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = Fold::both(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  if (parts == 1) items[set] = shared[0];
  else atomicAdd(&items[set], shared[0]);
}

template <class Fold, class Output>
__global__ void results_kernel(const typename Fold::Item* items, Output* output, Sets sets) {
  const std::int64_t i = position_in_plane();
  if (i < sets.count()) output[i] = static_cast<Output>(Fold::result(items[i], sets.size()));
}

template <class Fold, class Output>
void reduce(const element* input, Output* output, const Sets& sets) {
  const Intermediate items(sets.count());
  if (items.data() == nullptr) return;
  const std::int64_t parts = sets.size() <= part_size ? 1 : (sets.size() - 1) / part_size + 1;
  const dim3 grid = plane_grid(1, sets.count());
  clear_items_kernel<Fold><<<grid, threads_per_block>>>(items.data(), sets.count());
  reduce_part_kernel<Fold>
      <<<static_cast<unsigned>(sets.count() * parts), adders>>>(input, items.data(), sets, parts);
  results_kernel<Fold><<<grid, threads_per_block>>>(items.data(), output, sets);
}
