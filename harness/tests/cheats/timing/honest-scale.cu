// accomplice: the twin of cheats that scale with `compute`, and nothing else
//
#include "scale.cuh"

extern "C" void solution(const float* in, float* out, size_t n) { compute({in, out, n}); }
