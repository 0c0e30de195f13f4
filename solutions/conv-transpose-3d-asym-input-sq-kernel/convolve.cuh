// The convolution at either precision. `halves` that an operand is split in: of 2, three products are made;
// of 1, one. A block has so many `warpgroups`, each of them so many `strips` of 64 pixels.
#pragma once

#include "march.cuh"
#include "upsample.cuh"

// By the kernel that fits the shape. False where the results are not there.
template <int halves, int warpgroups, int strips>
bool launch_products(const float* input, const float* kernel, float* output, const Shape& shape,
                     Range* range) {
  if (!is_moderate(shape)) return false;
  if (upsample::launch<halves>(input, kernel, output, shape, range)) return true;
  return most_taps(shape.z).count > 1
             ? launch_march<halves, 3, 24, warpgroups, strips>(input, kernel, output, shape, range)
             : launch_march<halves, 1, 64, warpgroups, strips>(input, kernel, output, shape, range);
}

template <int halves, int warpgroups, int strips>
void convolve(const float* input, const float* kernel, float* output, size_t batch_size, size_t in_channels,
              size_t out_channels, size_t depth, size_t height, size_t width, size_t kernel_d,
              size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h, size_t stride_w,
              size_t padding_d, size_t padding_h, size_t padding_w, size_t output_padding_d,
              size_t output_padding_h, size_t output_padding_w, size_t dilation_d, size_t dilation_h,
              size_t dilation_w, size_t groups) {
  Shape shape = {};
  shape.z = axis_of(depth, kernel_d, stride_d, padding_d, output_padding_d, dilation_d);
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h, dilation_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w, dilation_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);

  Range* range = nullptr;
  if (cudaMallocAsync(&range, sizeof(Range), nullptr) != cudaSuccess) {
    cudaGetLastError();
    plain<<<4096, plain_threads>>>(input, kernel, output, shape, nullptr);
    return;
  }
  cudaMemsetAsync(range, 0, sizeof(Range), nullptr);
  const bool launched = launch_products<halves, warpgroups, strips>(input, kernel, output, shape, range);
  plain<<<1024, plain_threads>>>(input, kernel, output, shape, launched ? range : nullptr);
  cudaFreeAsync(range, nullptr);
}

#define SOLUTION(halves, warpgroups, strips)                                                                 \
  extern "C" void solution(                                                                                  \
      const float* input, const float* kernel, float* output, size_t batch_size, size_t in_channels,         \
      size_t out_channels, size_t depth, size_t height, size_t width, size_t kernel_d, size_t kernel_h,      \
      size_t kernel_w, size_t stride_d, size_t stride_h, size_t stride_w, size_t padding_d,                  \
      size_t padding_h, size_t padding_w, size_t output_padding_d, size_t output_padding_h,                  \
      size_t output_padding_w, size_t dilation_d, size_t dilation_h, size_t dilation_w, size_t groups) {     \
    convolve<halves, warpgroups, strips>(                                                                    \
        input, kernel, output, batch_size, in_channels, out_channels, depth, height, width, kernel_d,        \
        kernel_h, kernel_w, stride_d, stride_h, stride_w, padding_d, padding_h, padding_w, output_padding_d, \
        output_padding_h, output_padding_w, dilation_d, dilation_h, dilation_w, groups);                     \
  }
