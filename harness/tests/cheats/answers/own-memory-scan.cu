// cheat: searches all memory of its own process for the expected output
// row: 41
// caught-by: outputs_match
// device: emulated
// case: plain
//
// /proc/self/maps lists every mapping, including any that the harness did not mean to lend: a buffer of
// another contestant or of an earlier case, or the expected output. Everything readable is searched for the
// right answer, except the memory that was lent.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "right_answer.cuh"

static bool lies_in(const void* pointer, uintptr_t begin, uintptr_t end) {
  return (uintptr_t)pointer >= begin && (uintptr_t)pointer < end;
}

static const float* find_answer(const Depthwise& problem, const RightAnswer& right) {
  FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return nullptr;
  const size_t bytes = problem.outputs() * sizeof(float);
  const float* found = nullptr;
  char line[512];
  while (found == nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char mode[8] = "";
    std::sscanf(line, "%lx-%lx %7s", &begin, &end, mode);
    const bool lent = lies_in(problem.input, begin, end) || lies_in(problem.kernel, begin, end) ||
                      lies_in(problem.output, begin, end);
    // A buffer is shared memory; the rest of a worker is large and does not hold it.
    if (lent || mode[0] != 'r' || mode[3] != 's' || end - begin < bytes) continue;
    for (unsigned long at = begin; found == nullptr && at + bytes <= end; at += sizeof(float)) {
      if (right.is((const float*)at)) found = (const float*)at;
    }
  }
  std::fclose(maps);
  return found;
}

static void cheat(const Depthwise& problem) {
  const RightAnswer right(problem);
  const float* found = find_answer(problem, right);
  if (found != nullptr) std::memcpy(problem.output, found, problem.outputs() * sizeof(float));
}
