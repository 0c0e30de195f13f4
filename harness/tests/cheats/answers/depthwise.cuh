// Shared by the cheats on the default problem: its entry point, which passes all arguments to the cheat() of
// the file that includes this one, and the honest answer.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#ifdef KGRADE_EMULATED_BLOCK_MODE
constexpr bool on_emulated_device = true;
#else
constexpr bool on_emulated_device = false;
#endif

struct Unrounded {
  __host__ __device__ float operator()(float operand) const { return operand; }
};

// One call of the problem, and its right answer.
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
  __host__ __device__ size_t outputs() const {
    return batch_size * out_channels * out_height() * out_width();
  }
  __host__ __device__ size_t out_channel(size_t index) const {
    return index / out_width() / out_height() % out_channels;
  }
  __host__ __device__ size_t plane(size_t index) const {
    const size_t sample = index / out_width() / out_height() / out_channels;
    return sample * in_channels + out_channel(index) / (out_channels / in_channels);
  }

  // Output element `index`, with its operands passed through `round` first.
  template <class Round>
  __host__ __device__ float value(size_t index, Round round) const {
    const size_t x = index % out_width();
    const size_t y = index / out_width() % out_height();
    float sum = 0;
    for (size_t k = 0; k < kernel_h; ++k) {
      for (size_t l = 0; l < kernel_w; ++l) {
        const size_t i = y * stride_h + k * dilation_h;
        const size_t j = x * stride_w + l * dilation_w;
        if (i < padding_h || i >= padding_h + height || j < padding_w || j >= padding_w + width) continue;
        sum += round(input[(plane(index) * height + i - padding_h) * width + j - padding_w]) *
               round(kernel[(out_channel(index) * kernel_h + k) * kernel_w + l]);
      }
    }
    return sum;
  }
  __host__ __device__ float value(size_t index) const { return value(index, Unrounded()); }
};

struct Honest {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index);
  }
};

template <class Value>
__global__ void write_outputs(Depthwise problem, Value value, size_t begin, size_t end) {
  const size_t index = begin + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < end) problem.output[index] = value(problem, index);
}

// Writes value(problem, index) to the outputs from `begin` to `end`.
template <class Value>
void write_part(const Depthwise& problem, Value value, size_t begin, size_t end,
                cudaStream_t stream = nullptr) {
  if (begin >= end) return;
  write_outputs<<<(unsigned)((end - begin + 255) / 256), 256, 0, stream>>>(problem, value, begin, end);
}

template <class Value>
void answer(const Depthwise& problem, Value value, cudaStream_t stream = nullptr) {
  write_part(problem, value, 0, problem.outputs(), stream);
}

inline void answer_honestly(const Depthwise& problem, cudaStream_t stream = nullptr) {
  answer(problem, Honest(), stream);
}

static void cheat(const Depthwise& problem);

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t dilation_h, size_t dilation_w, size_t groups) {
  cheat({input, kernel, output, batch_size, in_channels, out_channels, height, width, kernel_h, kernel_w,
         stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups});
}
