// Scaled dot-product attention (Vaswani et al., "Attention Is All You Need", 2017, equation 1), for each
// head:
//   output = softmax(Q K^T / sqrt(E)) V, the softmax over the keys.
#pragma once

#include <cmath>

#include "ops/product.cuh"

namespace ops {

// The logit of a query and a key.
struct OverRoot {
  std::int64_t width;
  __device__ accumulator operator()(accumulator product, std::int64_t, std::int64_t) const {
    return product / std::sqrt(static_cast<accumulator>(width));
  }
};

// The weights of the keys for one query: its row of logits becomes their softmax. The largest logit is
// subtracted so that nothing overflows. Each block has one row. Each thread adds up part of it, and the
// threads' sums are added in pairs.
__global__ void attention_weights_kernel(accumulator* logits, std::int64_t queries, std::int64_t keys) {
  __shared__ accumulator shared[threads_per_block];
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t query = blockIdx.x; query < queries; query += gridDim.x) {
    accumulator* row = logits + query * keys;
    accumulator largest = row[0];
    for (std::int64_t i = thread; i < keys; i += threads_per_block) largest = std::fmax(largest, row[i]);
    shared[thread] = largest;
    __syncthreads();
    for (int half = threads_per_block / 2; half > 0; half /= 2) {
      if (thread < half) shared[thread] = std::fmax(shared[thread], shared[thread + half]);
      __syncthreads();
    }
    largest = shared[0];
    __syncthreads();

    accumulator sum = 0;
    for (std::int64_t i = thread; i < keys; i += threads_per_block) {
      row[i] = std::exp(row[i] - largest);
      sum += row[i];
    }
    shared[thread] = sum;
    __syncthreads();
    for (int half = threads_per_block / 2; half > 0; half /= 2) {
      if (thread < half) shared[thread] += shared[thread + half];
      __syncthreads();
    }
    for (std::int64_t i = thread; i < keys; i += threads_per_block) row[i] /= shared[0];
    __syncthreads();
  }
}

// All tensors have `heads` matrices of `length` rows and `width` columns.
inline void attention(const element* queries, const element* keys, const element* values, element* output,
                      std::int64_t heads, std::int64_t length, std::int64_t width) {
  const std::int64_t head = length * width;
  Intermediate weights(heads * length * length);
  product(row_major(queries, width, head), transposed(row_major(keys, width, head)), weights.data(),
          ProductShape{length, length, width, heads}, OverRoot{width});
  const std::int64_t rows = heads * length;
  attention_weights_kernel<<<static_cast<unsigned>(smaller(rows, 1 << 20)), threads_per_block>>>(
      weights.data(), rows, length);
  product(row_major<accumulator>(weights.data(), length, length * length), row_major(values, width, head),
          output, ProductShape{length, width, length, heads});
}

}  // namespace ops
