// Transposed 3D convolution, the plain way: each thread computes one output element.
//
// A thread gathers what reaches its element. Along each axis, tap k of the kernel carries input position i to
// output position i * stride - padding + k * dilation. `source` solves that for i. It depends on the tap
// alone, so it stands outside the loop over the channels.
#include <cuda_runtime.h>

// The input position that tap `tap` carries to output position `out`, or `extent` if there is none.
__device__ size_t source(size_t out, size_t tap, size_t extent, size_t stride, size_t padding,
                         size_t dilation) {
  if (out + padding < tap * dilation) return extent;
  const size_t distance = out + padding - tap * dilation;
  if (distance % stride != 0 || distance / stride >= extent) return extent;
  return distance / stride;
}

__global__ void conv_transpose_3d(const float* input, const float* kernel, float* output, size_t batch_size,
                                  size_t in_channels, size_t out_channels, size_t depth, size_t height,
                                  size_t width, size_t out_depth, size_t out_height, size_t out_width,
                                  size_t kernel_d, size_t kernel_h, size_t kernel_w, size_t stride_d,
                                  size_t stride_h, size_t stride_w, size_t padding_d, size_t padding_h,
                                  size_t padding_w, size_t dilation_d, size_t dilation_h, size_t dilation_w,
                                  size_t groups) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * out_channels * out_depth * out_height * out_width) return;
  const size_t x = index % out_width;
  const size_t y = index / out_width % out_height;
  const size_t z = index / out_width / out_height % out_depth;
  const size_t out_channel = index / out_width / out_height / out_depth % out_channels;
  const size_t sample = index / out_width / out_height / out_depth / out_channels;

  const size_t in_per_group = in_channels / groups;
  const size_t out_per_group = out_channels / groups;
  const size_t first_channel = out_channel / out_per_group * in_per_group;

  float sum = 0;
  for (size_t m = 0; m < kernel_d; ++m) {
    const size_t h = source(z, m, depth, stride_d, padding_d, dilation_d);
    if (h == depth) continue;
    for (size_t k = 0; k < kernel_h; ++k) {
      const size_t i = source(y, k, height, stride_h, padding_h, dilation_h);
      if (i == height) continue;
      for (size_t l = 0; l < kernel_w; ++l) {
        const size_t j = source(x, l, width, stride_w, padding_w, dilation_w);
        if (j == width) continue;
        for (size_t c = first_channel; c < first_channel + in_per_group; ++c) {
          const size_t slice = c * out_per_group + out_channel % out_per_group;
          sum += input[(((sample * in_channels + c) * depth + h) * height + i) * width + j] *
                 kernel[((slice * kernel_d + m) * kernel_h + k) * kernel_w + l];
        }
      }
    }
  }
  output[index] = sum;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t depth, size_t height, size_t width,
                         size_t kernel_d, size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h,
                         size_t stride_w, size_t padding_d, size_t padding_h, size_t padding_w,
                         size_t output_padding_d, size_t output_padding_h, size_t output_padding_w,
                         size_t dilation_d, size_t dilation_h, size_t dilation_w, size_t groups) {
  const size_t out_depth =
      (depth - 1) * stride_d + dilation_d * (kernel_d - 1) + output_padding_d + 1 - 2 * padding_d;
  const size_t out_height =
      (height - 1) * stride_h + dilation_h * (kernel_h - 1) + output_padding_h + 1 - 2 * padding_h;
  const size_t out_width =
      (width - 1) * stride_w + dilation_w * (kernel_w - 1) + output_padding_w + 1 - 2 * padding_w;
  const size_t count = batch_size * out_channels * out_depth * out_height * out_width;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned)((count + threads - 1) / threads);
  conv_transpose_3d<<<blocks, threads>>>(input, kernel, output, batch_size, in_channels, out_channels, depth,
                                         height, width, out_depth, out_height, out_width, kernel_d, kernel_h,
                                         kernel_w, stride_d, stride_h, stride_w, padding_d, padding_h,
                                         padding_w, dilation_d, dilation_h, dilation_w, groups);
}
