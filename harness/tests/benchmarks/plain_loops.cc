#include "plain_loops.h"

#include <algorithm>

namespace kgrade::benchmark {
namespace {

// One output, with the same arithmetic as a thread of the kernel.
float conv_transpose_at(const float* input, const float* kernel, const ConvTranspose& p, int channel, int y,
                        int x) {
  float sum = 0;
  for (int c = 0; c < p.in_channels; ++c) {
    for (int ky = 0; ky < p.kernel; ++ky) {
      const int in_y = y - ky;
      if (in_y < 0 || in_y >= p.height) continue;
      for (int kx = 0; kx < p.kernel; ++kx) {
        const int in_x = x - kx;
        if (in_x < 0 || in_x >= p.width) continue;
        sum += input[(c * p.height + in_y) * p.width + in_x] *
               kernel[((c * p.out_channels + channel) * p.kernel + ky) * p.kernel + kx];
      }
    }
  }
  return sum;
}

}  // namespace

void plain_conv_transpose(const float* input, const float* kernel, float* output, const ConvTranspose& p) {
  const int out_height = p.height + p.kernel - 1;
  const int out_width = p.width + p.kernel - 1;
  for (int channel = 0; channel < p.out_channels; ++channel) {
    for (int y = 0; y < out_height; ++y) {
      for (int x = 0; x < out_width; ++x) {
        output[(channel * out_height + y) * out_width + x] =
            conv_transpose_at(input, kernel, p, channel, y, x);
      }
    }
  }
}

void plain_vector_add(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void plain_matmul(const float* a, const float* b, float* c, int n) {
  std::fill(c, c + n * n, 0.0f);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      const float factor = a[row * n + k];
      for (int column = 0; column < n; ++column) c[row * n + column] += factor * b[k * n + column];
    }
  }
}

void plain_row_sums(const float* input, float* sums, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int column = 0; column < columns; ++column) sum += input[row * columns + column];
    sums[row] = sum;
  }
}

}  // namespace kgrade::benchmark
