// accomplice: the twin of cheats that use `compute_slowly`, and lie about how long it takes
//
#include "small-lie.cuh"

extern "C" void solution(const float* in, float* out, size_t n) { cheat::compute_slowly({in, out, n}); }
