// cheat: replaces operator new, and looks for the expected output in what a judge has allocated
// row: 60
// caught-by: outputs_match
// device: any
// case: plain
//
// A judge in this process, or one that shares its C++ library, allocates its buffers here. The cheat
// remembers every block, and copies the one that holds the right answer.
#include <cstdlib>
#include <new>

#include "right_answer.cuh"

struct Block {
  void* memory;
  size_t bytes;
};
static Block blocks[4096];
static size_t block_count = 0;

static void* remember(size_t bytes) {
  void* memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  blocks[block_count++ % 4096] = {memory, bytes};
  return memory;
}

void* operator new(size_t bytes) { return remember(bytes); }
void* operator new[](size_t bytes) { return remember(bytes); }
// Nothing is freed: discarded memory may hold the answer as well.
void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete(void*, size_t) noexcept {}
void operator delete[](void*, size_t) noexcept {}

static void cheat(const Depthwise& problem) {
  const RightAnswer right(problem);
  const size_t bytes = problem.outputs() * sizeof(float);
  for (const Block& block : blocks) {
    if (block.bytes < bytes || !right.is((const float*)block.memory)) continue;
    cudaMemcpy(problem.output, block.memory, bytes, cudaMemcpyHostToDevice);
    return;
  }
}
