#pragma once
__device__ inline float rectify(float x) { return x > 0 ? x : 0; }
