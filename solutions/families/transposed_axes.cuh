// The axes of a transposed convolution whose input is seen as one long stream of pixels: rows and images one
// after the other, with zeros between them, as many as the taps reach over. In the stream every tap is a
// constant distance, so that any run of consecutive pixels can be computed without looking at borders.
#pragma once

#include <cstddef>

// One axis. Output y belongs to phase (y + padding) % stride, and is number (y + padding) / stride - first of
// it. Tap k of that phase takes output number q to place q + window - k / stride of the padded input.
struct Axis {
  int input, output, taps, stride, padding;
  int first;   // the smallest (y + padding) / stride
  int lead;    // zeros before the input
  int window;  // place that tap 0 takes output 0 to
  int pitch;   // length of the padded axis
};

inline Axis axis_of(std::size_t input, std::size_t taps, std::size_t stride, std::size_t padding,
                    std::size_t output_padding) {
  Axis axis = {};
  axis.input = static_cast<int>(input);
  axis.output = static_cast<int>((input - 1) * stride + taps + output_padding - 2 * padding);
  axis.taps = static_cast<int>(taps);
  axis.stride = static_cast<int>(stride);
  axis.padding = static_cast<int>(padding);
  axis.first = axis.padding / axis.stride;
  const int reach = (axis.taps - 1) / axis.stride;
  axis.lead = reach > axis.first ? reach - axis.first : 0;
  axis.window = axis.first + axis.lead;
  // The last output's window may end in the zeros that lead the next row.
  const int outputs = (axis.output - 1 + axis.padding) / axis.stride - axis.first + 1;
  const int input_end = axis.lead + axis.input;
  const int window_end = outputs + axis.window - axis.lead;
  axis.pitch = input_end > window_end ? input_end : window_end;
  return axis;
}

// The taps of a phase: first, first + stride, ...
__host__ __device__ inline int taps_in(const Axis& axis, int phase) {
  return phase < axis.taps ? (axis.taps - phase - 1) / axis.stride + 1 : 0;
}

// Those of all phases before it.
__device__ inline int taps_before(const Axis& axis, int phase) {
  int taps = 0;
  for (int before = 0; before < phase; ++before) taps += taps_in(axis, before);
  return taps;
}

// The output that is number q of a phase, or -1 if there is none.
__device__ inline int output_of(const Axis& axis, int q, int phase) {
  const int y = (q + axis.first) * axis.stride + phase - axis.padding;
  return y < axis.output ? y : -1;
}

// A pixel of the stream.
struct Position {
  int sample, y, x;
};

__host__ __device__ inline Position position_of(unsigned pixel, const Axis& y, const Axis& x) {
  const unsigned rows = pixel / x.pitch;
  return {static_cast<int>(rows / y.pitch), static_cast<int>(rows % y.pitch),
          static_cast<int>(pixel % x.pitch)};
}

// So many pixels further; each number of `distance` is within its pitch.
__device__ inline void advance(Position& position, const Position& distance, const Axis& y, const Axis& x) {
  position.x += distance.x;
  position.y += distance.y;
  position.sample += distance.sample;
  if (position.x >= x.pitch) position.x -= x.pitch, ++position.y;
  if (position.y >= y.pitch) position.y -= y.pitch, ++position.sample;
}
