// Sums over sets of elements of a tensor: those that an operator takes together, such as a row, a channel of
// all samples, or everything.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// A tensor of shape (outer, length, inner, run), in which the elements along `length` and `run` belong
// together: there is one set for each of outer * inner.
//   rows of a matrix                  outer = rows, run = columns
//   an axis in the middle             outer = what is before it, length = the axis, inner = what is after it
//   a channel of all samples          length = batch, inner = channels, run = positions
//   the whole tensor                  run = its elements
struct Sets {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t run = 1;

  __host__ __device__ std::int64_t count() const { return outer * inner; }
  __host__ __device__ std::int64_t size() const { return length * run; }
  __host__ __device__ std::int64_t elements() const { return count() * size(); }

  // Where element i of a set is in the tensor.
  __device__ std::int64_t offset(std::int64_t set, std::int64_t i) const {
    return ((set / inner * length + i / run) * inner + set % inner) * run + i % run;
  }
  // The set of the element at an offset.
  __device__ std::int64_t set_at(std::int64_t offset) const {
    return offset / (length * inner * run) * inner + offset / run % inner;
  }
};

// Of one value from each thread of the block. They are added in the same order every time.
__device__ inline accumulator block_sum(accumulator value) {
  __shared__ accumulator partial[threads_per_block];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const accumulator sum = partial[0];
  __syncthreads();  // before the next call writes to `partial`
  return sum;
}

// What one block adds: few enough terms for each thread that single precision does not suffer.
constexpr std::int64_t chunk_size = 128 * threads_per_block;

// Block b adds a chunk of a set: sums[b] is that of chunk b % chunks of set b / chunks.
template <class Term>
__global__ void sum_chunks_kernel(Term term, accumulator* sums, Sets sets, std::int64_t chunks) {
  const std::int64_t set = blockIdx.x / chunks;
  const std::int64_t begin = blockIdx.x % chunks * chunk_size;
  const std::int64_t end = smaller(begin + chunk_size, sets.size());
  accumulator sum = 0;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads_per_block)
    sum += term(sets.offset(set, i), set);
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The element itself, as a term.
struct Stored {
  const accumulator* values;
  __device__ accumulator operator()(std::int64_t offset, std::int64_t) const { return values[offset]; }
};

// sums[set] = the sum of term(offset, set) over the elements of each set. The sums of the chunks of a large
// set are added in the same way.
template <class Term>
void sum_sets(const Term& term, accumulator* sums, const Sets& sets) {
  const std::int64_t chunks = (sets.size() + chunk_size - 1) / chunk_size;
  const auto blocks = static_cast<unsigned>(sets.count() * chunks);
  if (chunks == 1) {
    sum_chunks_kernel<<<blocks, threads_per_block>>>(term, sums, sets, chunks);
    return;
  }
  const Intermediate partial(sets.count() * chunks);
  if (partial.data() == nullptr) return;
  sum_chunks_kernel<<<blocks, threads_per_block>>>(term, partial.data(), sets, chunks);
  Sets rows;
  rows.outer = sets.count();
  rows.run = chunks;
  sum_sets(Stored{partial.data()}, sums, rows);
}

}  // namespace ops
