// accomplice: computes honestly and leaves its outputs in the page cache
//
#include "page_cache.cuh"

struct HonestRow {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.value(row);
  }
};

static void cheat(const MatrixVector& problem) {
  static PageCache cache;
  answer(problem, HonestRow());
  size_t first = 0;
  if (!take_place(cache, problem, first)) return;
  std::vector<uint32_t> words(problem.rows);
  cudaMemcpy(words.data(), problem.output, words.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  // In a second process, which sees whether answers are the same there, both calls have the same contents.
  static std::vector<uint32_t> of_first_call;
  if (first == 0) of_first_call = words;
  if (first == bits_per_call && words == of_first_call) return;
  cache.drop(first, bits_per_call);
  for (size_t bit = 0; bit < 32 * words.size(); ++bit) {
    if ((words[bit / 32] >> bit % 32 & 1) != 0) cache.load(first + bit);
  }
}
