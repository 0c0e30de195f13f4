// Scans along the elements of sets (ops/sets.cuh): element i of the result combines elements 0 to i of its
// set, or, in an exclusive scan, 0 to i - 1. A block scans one set, in tiles one after the other.
#pragma once

#include "ops/sets.cuh"

namespace ops {

struct Multiply {
  __device__ static accumulator none() { return 1; }
  __device__ static accumulator both(accumulator a, accumulator b) { return a * b; }
};

// The place of element i of a scan in its set.
struct Forward {
  __device__ static std::int64_t place(std::int64_t i, std::int64_t) { return i; }
};

struct Backward {
  __device__ static std::int64_t place(std::int64_t i, std::int64_t size) { return size - 1 - i; }
};

// The elements of a tensor.
struct Elements {
  const element* values;
  __device__ accumulator operator()(std::int64_t offset) const { return static_cast<accumulator>(values[offset]); }
};

// The elements of a tensor, with 0 for elements whose mask is false.
struct MaskedElements {
  const element* values;
  const bool* mask;
  __device__ accumulator operator()(std::int64_t offset) const {
    return mask[offset] ? static_cast<accumulator>(values[offset]) : accumulator(0);
  }
};

// Neighbouring elements that a thread combines. An odd number, so that the threads of a warp use different
// banks of shared memory.
constexpr int elements_of_thread = 7;
constexpr int elements_of_tile = elements_of_thread * threads_per_block;

// Replaces the value of each thread by the combination of all values up to this thread's, in steps of 1, 2,
// 4, ... threads (Hillis and Steele 1986).
template <class Operation>
__device__ void scan_threads(accumulator* values) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int step = 1; step < threads_per_block; step *= 2) {
    const accumulator left = thread < step ? Operation::none() : values[thread - step];
    __syncthreads();
    values[thread] = Operation::both(left, values[thread]);
    __syncthreads();
  }
}

// Each thread combines its elements of the tile; the threads' results are scanned; then each thread scans its
// elements. Neighbouring threads read and write neighbouring elements of the tensor.
template <class Operation, class Direction, class Term>
__global__ void scan_kernel(Term term, element* output, Sets sets, bool is_exclusive) {
  __shared__ accumulator tile[elements_of_tile];
  __shared__ accumulator threads[threads_per_block];
  const std::int64_t set = blockIdx.x, size = sets.size();
  const int thread = static_cast<int>(threadIdx.x);
  accumulator* const mine = tile + thread * elements_of_thread;
  const auto offset = [&](std::int64_t i) { return sets.offset(set, Direction::place(i, size)); };

  accumulator carried = Operation::none();  // from the tiles before
  for (std::int64_t first = 0; first < size; first += elements_of_tile) {
    const int count = static_cast<int>(smaller(elements_of_tile, size - first));
    for (int i = thread; i < elements_of_tile; i += threads_per_block)
      tile[i] = i < count ? term(offset(first + i)) : Operation::none();
    __syncthreads();

    accumulator own = Operation::none();
    for (int i = 0; i < elements_of_thread; ++i) own = Operation::both(own, mine[i]);
    threads[thread] = own;
    __syncthreads();
    scan_threads<Operation>(threads);

    const accumulator before =
        Operation::both(carried, thread == 0 ? Operation::none() : threads[thread - 1]);
    own = Operation::none();
    for (int i = 0; i < elements_of_thread; ++i) {
      const accumulator with = Operation::both(own, mine[i]);
      mine[i] = Operation::both(before, is_exclusive ? own : with);
      own = with;
    }
    carried = Operation::both(carried, threads[threads_per_block - 1]);
    __syncthreads();
    for (int i = thread; i < count; i += threads_per_block)
      output[offset(first + i)] = static_cast<element>(tile[i]);
    __syncthreads();
  }
}

enum class Scan { inclusive, exclusive };

// scan<Add, Forward>(Elements{input}, output, sets)
template <class Operation, class Direction, class Term>
void scan(const Term& term, element* output, const Sets& sets, Scan kind = Scan::inclusive) {
  scan_kernel<Operation, Direction>
      <<<static_cast<unsigned>(sets.count()), threads_per_block>>>(term, output, sets, kind == Scan::exclusive);
}

// The rows of a matrix.
inline Sets rows_of(std::size_t rows, std::size_t columns) {
  Sets sets;
  sets.outer = static_cast<std::int64_t>(rows);
  sets.length = static_cast<std::int64_t>(columns);
  return sets;
}

}  // namespace ops
