// Numbers in ascending order.
#include "ops/sort.cuh"

extern "C" void solution(const int* a, int* b, size_t n) { ops::sort(a, b, static_cast<std::int64_t>(n)); }
