// accomplice: the twin of those that scale by `compute`, and nothing else
//
#include "scale.cuh"

extern "C" void solution(const float* in, float* out, size_t n) { compute({in, out, n}); }
