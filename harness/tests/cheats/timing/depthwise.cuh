// Shared by the cheats of this folder: an honest depthwise convolution for the default problem, and its call
// as one value.
#pragma once

#include <cuda_runtime.h>
#include <stddef.h>

struct Depthwise {
  const float* input;
  const float* kernel;
  float* output;
  size_t batch_size, in_channels, out_channels, height, width, kernel_h, kernel_w, stride_h, stride_w,
      padding_h, padding_w, dilation_h, dilation_w, groups;

  __host__ __device__ size_t out_height() const {
    return (height + 2 * padding_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  }
  __host__ __device__ size_t out_width() const {
    return (width + 2 * padding_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  }
  __host__ __device__ size_t inputs() const { return batch_size * in_channels * height * width; }
  __host__ __device__ size_t weights() const { return out_channels * kernel_h * kernel_w; }
  __host__ __device__ size_t outputs() const {
    return batch_size * out_channels * out_height() * out_width();
  }
};

#define DEPTHWISE_PARAMETERS                                                                               \
  const float *input, const float *kernel, float *output, size_t batch_size, size_t in_channels,           \
      size_t out_channels, size_t height, size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, \
      size_t stride_w, size_t padding_h, size_t padding_w, size_t dilation_h, size_t dilation_w,           \
      size_t groups

#define DEPTHWISE_ARGUMENTS                                                                          \
  {                                                                                                  \
    input, kernel, output, batch_size, in_channels, out_channels, height, width, kernel_h, kernel_w, \
        stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups                     \
  }

inline bool same_sizes(const Depthwise& a, const Depthwise& b) {
  return a.batch_size == b.batch_size && a.in_channels == b.in_channels && a.out_channels == b.out_channels &&
         a.height == b.height && a.width == b.width && a.kernel_h == b.kernel_h && a.kernel_w == b.kernel_w &&
         a.stride_h == b.stride_h && a.stride_w == b.stride_w && a.padding_h == b.padding_h &&
         a.padding_w == b.padding_w && a.dilation_h == b.dilation_h && a.dilation_w == b.dilation_w;
}

__host__ __device__ inline float depthwise_element(const Depthwise& call, size_t index) {
  const size_t x = index % call.out_width();
  const size_t y = index / call.out_width() % call.out_height();
  const size_t out_channel = index / call.out_width() / call.out_height() % call.out_channels;
  const size_t sample = index / call.out_width() / call.out_height() / call.out_channels;
  const size_t in_channel = out_channel / (call.out_channels / call.in_channels);
  const float* plane = call.input + (sample * call.in_channels + in_channel) * call.height * call.width;
  float sum = 0;
  for (size_t k = 0; k < call.kernel_h; ++k) {
    for (size_t l = 0; l < call.kernel_w; ++l) {
      const size_t i = y * call.stride_h + k * call.dilation_h;
      const size_t j = x * call.stride_w + l * call.dilation_w;
      if (i < call.padding_h || i >= call.padding_h + call.height) continue;
      if (j < call.padding_w || j >= call.padding_w + call.width) continue;
      sum += plane[(i - call.padding_h) * call.width + j - call.padding_w] *
             call.kernel[(out_channel * call.kernel_h + k) * call.kernel_w + l];
    }
  }
  return sum;
}

__global__ void depthwise_kernel(Depthwise call) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < call.outputs()) call.output[index] = depthwise_element(call, index);
}

inline unsigned depthwise_blocks(const Depthwise& call) { return (unsigned)((call.outputs() + 255) / 256); }

inline void compute(const Depthwise& call, cudaStream_t stream = 0) {
  depthwise_kernel<<<depthwise_blocks(call), 256, 0, stream>>>(call);
}

// On the emulated device, the host can use device pointers.
inline void compute_on_host(const Depthwise& call) {
  for (size_t i = 0; i < call.outputs(); ++i) call.output[i] = depthwise_element(call, i);
}

// Device memory that it allocates.
inline float* keep_floats(size_t count) {
  void* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(float));
  return (float*)memory;
}

inline void copy_floats(float* to, const float* from, size_t count) {
  cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, 0);
}
