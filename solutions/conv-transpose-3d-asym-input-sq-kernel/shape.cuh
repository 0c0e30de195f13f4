// A transposed 3D convolution's axes, and a plain kernel for it.
#pragma once

#include <cuda_runtime.h>

#include "range.cuh"

// One axis. Output y belongs to phase (y + padding) % stride, and is number (y + padding) / stride - first of
// it. A tap of that phase takes output number q to place q + window - shift of the padded input.
struct Axis {
  int input, output, taps, stride, padding, dilation;
  int first;   // the smallest (y + padding) / stride
  int lead;    // zeros before the input
  int window;  // place that a shift of 0 takes output 0 to
  int pitch;   // length of the padded axis

  // Outputs of a phase, at most.
  __host__ __device__ int numbers() const { return (output - 1 + padding) / stride - first + 1; }
};

inline Axis axis_of(size_t input, size_t taps, size_t stride, size_t padding, size_t output_padding,
                    size_t dilation) {
  Axis axis = {};
  axis.input = static_cast<int>(input);
  axis.output =
      static_cast<int>((input - 1) * stride + dilation * (taps - 1) + output_padding + 1 - 2 * padding);
  axis.taps = static_cast<int>(taps);
  axis.stride = static_cast<int>(stride);
  axis.padding = static_cast<int>(padding);
  axis.dilation = static_cast<int>(dilation);
  axis.first = axis.padding / axis.stride;
  const int reach = axis.dilation * (axis.taps - 1) / axis.stride;
  axis.lead = reach > axis.first ? reach - axis.first : 0;
  axis.window = axis.first + axis.lead;
  // The last output's window may end in the zeros that lead the next row.
  const int input_end = axis.lead + axis.input;
  const int window_end = axis.numbers() + axis.window - axis.lead;
  axis.pitch = input_end > window_end ? input_end : window_end;
  return axis;
}

// The taps of a phase are first, first + step, ... with the shifts shift, shift + shift_step, ...
struct Taps {
  int first, step, count, shift, shift_step;
  __host__ __device__ int furthest() const { return shift + (count - 1) * shift_step; }
  // `most` of them, from number `begin`.
  __host__ __device__ Taps part(int begin, int most) const {
    const int left = count > begin ? count - begin : 0;
    return {first + begin * step, step, left < most ? left : most, shift + begin * shift_step, shift_step};
  }
};

__host__ __device__ inline Taps taps_of(const Axis& axis, int phase) {
  int divisor = axis.stride;  // the greatest common one of stride and dilation
  while (axis.stride % divisor != 0 || axis.dilation % divisor != 0) --divisor;
  Taps taps = {0, axis.stride / divisor, 0, 0, axis.dilation / divisor};
  while (taps.first < taps.step && (taps.first * axis.dilation - phase) % axis.stride != 0) ++taps.first;
  if (taps.first == taps.step || taps.first >= axis.taps) return taps;
  taps.count = (axis.taps - 1 - taps.first) / taps.step + 1;
  taps.shift = (taps.first * axis.dilation - phase) / axis.stride;
  return taps;
}

// The most that any phase of an axis has.
inline Taps most_taps(const Axis& axis) {
  Taps most = taps_of(axis, 0);
  for (int phase = 1; phase < axis.stride; ++phase) {
    const Taps taps = taps_of(axis, phase);
    if (taps.count > most.count) most = taps;
  }
  return most;
}

// The output that is number q of a phase; none where negative.
__device__ inline int output_of(const Axis& axis, int q, int phase) {
  const int y = (q + axis.first) * axis.stride + phase - axis.padding;
  return y < axis.output ? y : -1;
}

struct Shape {
  Axis z, y, x;
  int batch_size, groups, in_channels, out_channels;  // channels of a group

  __host__ __device__ int taps() const { return z.taps * y.taps * x.taps; }
  __host__ __device__ int phases() const { return z.stride * y.stride * x.stride; }
  __host__ __device__ long long input_plane() const {
    return static_cast<long long>(z.input) * y.input * x.input;
  }
  __host__ __device__ long long output_plane() const {
    return static_cast<long long>(z.output) * y.output * x.output;
  }
};

// Whether phases are few enough to be worth a launch each, and what the products' kernels count fits into
// 32 bits. Extents are multiplied as doubles here, which do not overflow.
inline bool is_moderate(const Shape& shape) {
  const int most_stride = 64, most_phases = 4096, most_dilation = 1 << 24;
  for (const Axis* axis : {&shape.z, &shape.y, &shape.x}) {
    if (axis->stride > most_stride || axis->dilation > most_dilation) return false;
  }
  const double most = 1 << 30;
  const double samples = shape.batch_size, pixels = static_cast<double>(shape.y.pitch) * shape.x.pitch;
  const double taps = static_cast<double>(shape.z.taps) * shape.y.taps * shape.x.taps;
  const double channels = shape.in_channels > shape.out_channels ? shape.in_channels : shape.out_channels;
  const double tiles = pixels / 64 + 1;  // of planes, at most
  return shape.phases() <= most_phases && taps < most && samples * shape.groups * channels < most &&
         pixels < most && shape.z.pitch < most && samples * shape.z.dilation * tiles < most &&
         static_cast<double>(shape.y.dilation) * shape.x.pitch < most &&
         static_cast<double>(shape.input_plane()) < most && static_cast<double>(shape.output_plane()) < most;
}

// ---- What products cannot do here: values too large (then the flag is set), windows or strides too large.

// The input position that a tap takes an output to, or -1.
__device__ inline int source_of(const Axis& axis, int output, int tap) {
  const int distance = output + axis.padding - tap * axis.dilation;
  return distance >= 0 && distance % axis.stride == 0 && distance / axis.stride < axis.input
             ? distance / axis.stride
             : -1;
}

const int plain_threads = 256;

__global__ void __launch_bounds__(plain_threads)
    plain(const float* input, const float* kernel, float* output, Shape shape, const Range* range) {
  if (range != nullptr && !range->is_left()) return;
  const int out_channels = shape.groups * shape.out_channels;
  const long long count = static_cast<long long>(shape.batch_size) * out_channels * shape.output_plane();
  for (long long index = static_cast<long long>(blockIdx.x) * plain_threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * plain_threads) {
    const int x = static_cast<int>(index % shape.x.output),
              y = static_cast<int>(index / shape.x.output % shape.y.output);
    const int z = static_cast<int>(index % shape.output_plane() / shape.x.output / shape.y.output);
    const int out_channel = static_cast<int>(index / shape.output_plane() % out_channels);
    const int group = out_channel / shape.out_channels;
    const long long sample = index / shape.output_plane() / out_channels;
    const long long slice = static_cast<long long>(group) * shape.in_channels * shape.out_channels +
                            out_channel % shape.out_channels;
    float sum = 0.0f;
    for (int tap = 0; tap < shape.taps(); ++tap) {
      const int from_z = source_of(shape.z, z, tap / shape.x.taps / shape.y.taps);
      const int from_y = source_of(shape.y, y, tap / shape.x.taps % shape.y.taps);
      const int from_x = source_of(shape.x, x, tap % shape.x.taps);
      if (from_z < 0 || from_y < 0 || from_x < 0) continue;
      const float* value = input + (sample * shape.groups + group) * shape.in_channels * shape.input_plane() +
                           (static_cast<long long>(from_z) * shape.y.input + from_y) * shape.x.input + from_x;
      const float* weight = kernel + slice * shape.taps() + tap;
      for (int c = 0; c < shape.in_channels; ++c) {
        sum = fmaf(value[c * shape.input_plane()],
                   weight[static_cast<long long>(c) * shape.out_channels * shape.taps()], sum);
      }
    }
    output[index] = sum;
  }
}
