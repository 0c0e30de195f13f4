// Scans along the elements of sets (ops/sets.cuh): element i of the result combines elements 0 to i of its set, or, in an
// exclusive scan, 0 to i - 1. A block scans one set: each thread combines neighbouring elements, then the threads'
// results are scanned, and each thread goes over its elements again.
#pragma once

#include "ops/sets.cuh"

namespace ops {

struct Multiply {
  __device__ static accumulator none() { return 1; }
  __device__ static accumulator both(accumulator a, accumulator b) { return a * b; }
};

// Where element i of a scan stands in its set.
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

// 0 in the place of those whose mask is false.
struct MaskedElements {
  const element* values;
  const bool* mask;
  __device__ accumulator operator()(std::int64_t offset) const {
    return mask[offset] ? static_cast<accumulator>(values[offset]) : accumulator(0);
  }
};

template <class Operation, class Direction, class Term>
__global__ void scan_kernel(Term term, element* output, Sets sets, bool is_exclusive) {
  __shared__ accumulator before[threads_per_block];
  const std::int64_t set = blockIdx.x, size = sets.size();
  const std::int64_t each = (size + threads_per_block - 1) / threads_per_block;
  const std::int64_t begin = threadIdx.x * each, end = smaller(begin + each, size);
  const auto offset = [&](std::int64_t i) { return sets.offset(set, Direction::place(i, size)); };

  accumulator own = Operation::none();
  for (std::int64_t i = begin; i < end; ++i) own = Operation::both(own, term(offset(i)));
  before[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    accumulator all = Operation::none();
    for (int thread = 0; thread < threads_per_block; ++thread) {
      const accumulator of_thread = before[thread];
      before[thread] = all;
      all = Operation::both(all, of_thread);
    }
  }
  __syncthreads();
  own = Operation::none();
  for (std::int64_t i = begin; i < end; ++i) {
    const accumulator value = term(offset(i));
    const accumulator with = Operation::both(own, value);
    output[offset(i)] = static_cast<element>(Operation::both(before[threadIdx.x], is_exclusive ? own : with));
    own = with;
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
