// kgrade: dtype bfloat16
//
// Transposed 2D convolution of bfloat16, the plain way.
#include <cuda_bf16.h>

using element = __nv_bfloat16;

#include "naive_16bit.cuh"
