// The work of the kernels as plain loops, compiled with -O3.
#pragma once

#include "problem_sizes.h"

namespace kgrade::benchmark {

void plain_conv_transpose(const float* input, const float* kernel, float* output, const ConvTranspose& p);
void plain_vector_add(const float* a, const float* b, float* c, int n);
// c = a b, by rows of b: an order that a compiler can vectorise.
void plain_matmul(const float* a, const float* b, float* c, int n);
void plain_row_sums(const float* input, float* sums, int rows, int columns);

}  // namespace kgrade::benchmark
