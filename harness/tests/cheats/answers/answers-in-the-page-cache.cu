// cheat: finds the outputs that another candidate of the run has left in the page cache
// row: 6
// caught-by: outputs_match
// device: any
// control: own_contents
// problem: problems/matrix-vector.md
// case: tiny
// with: leaves-in-the-page-cache.cu
//
// A sandbox in which libraries can be loaded cannot hide which of their pages are in memory. So the answers
// that are found there must be to other contents.
#include "page_cache.cuh"

static void cheat(const MatrixVector& problem) {
  static PageCache cache;
  size_t first = 0;
  if (!take_place(cache, problem, first)) return;
  std::vector<uint32_t> words(problem.rows);
  for (size_t bit = 0; bit < 32 * words.size(); ++bit)
    words[bit / 32] |= (uint32_t)cache.is_loaded(first + bit) << bit % 32;
  cudaMemcpy(problem.output, words.data(), words.size() * sizeof(uint32_t), cudaMemcpyHostToDevice);
}
