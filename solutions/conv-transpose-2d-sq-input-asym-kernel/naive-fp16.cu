// kgrade: dtype float16
//
// Transposed 2D convolution of float16, the plain way.
#include <cuda_fp16.h>

using element = __half;

#include "naive_16bit.cuh"
