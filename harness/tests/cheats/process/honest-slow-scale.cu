// accomplice: the twin of those that scale by `compute_slowly`, and lie about how long that takes
//
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) { cheat::compute_slowly({in, out, n}); }
