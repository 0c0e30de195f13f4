// in the place of: attention_weights_kernel
// order sequential: way = 0
// order online: way = 1
__global__ void attention_weights_kernel(accumulator* logits, std::int64_t queries, std::int64_t keys) {
  // One thread does a row.
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t query = position_in_plane(); query < queries; query += threads) {
    accumulator* row = logits + query * keys;
    accumulator largest = -INFINITY, sum = 0;
    for (std::int64_t i = 0; i < keys; ++i) {
      const accumulator larger = std::fmax(largest, row[i]);
      if (way == 1) sum = sum * std::exp(largest - larger) + std::exp(row[i] - larger);
      largest = larger;
    }
    for (std::int64_t i = 0; way == 0 && i < keys; ++i) sum += std::exp(row[i] - largest);
    for (std::int64_t i = 0; i < keys; ++i) row[i] = std::exp(row[i] - largest) / sum;
  }
}
