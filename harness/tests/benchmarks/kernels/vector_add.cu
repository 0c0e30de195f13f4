#include "vector_add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n) { launch_vector_add(a, b, c, n); }
