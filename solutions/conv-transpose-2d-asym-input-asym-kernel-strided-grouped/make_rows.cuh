// The blocks of a group and tile of channels take neighbouring units, and go on by as many units as they are:
// what is written at any time is a few long runs of memory. Each unit's three rows of the input are loaded
// while units before it are computed; that neighbours load the same ones costs no device memory's time, L2
// has them.
#pragma once

#include "row_products.cuh"

namespace rows {

constexpr int depth = slots / most_taps_y;  // units whose input is in shared memory or on its way

struct Place {
  int sample, u;

  __device__ void advance(int units, int units_of_image) {
    u += units;
    while (u >= units_of_image) {
      u -= units_of_image;
      ++sample;
    }
  }
};

// The input of a unit, tap by tap; nothing behind the last one.
__device__ inline void load_unit(const float* input, float* target, const Shape& shape, int group,
                                 const Place& place) {
  if (place.sample < shape.batch_size) {
    const long long channel =
        (static_cast<long long>(place.sample) * shape.groups + group) * shape.in_channels;
    for (int k = 0; k < most_taps_y; ++k) {
      load_row(input + channel * shape.in_plane(), target + k * slot_words, shape,
               shape.first_row + place.u - k);
    }
  }
  __pipeline_commit();
}

__device__ inline float* first_plane_of(float* output, const Shape& shape, int group, int tile, int sample) {
  const long long channel = (static_cast<long long>(sample) * shape.groups + group) * shape.out_channels;
  return output + (channel + tile * tile_channels) * shape.out_plane();
}

template <bool pairs>
__global__ void __launch_bounds__(threads, 1)
    make_rows(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
              Shape shape) {
  extern __shared__ uint4 shared[];
  float* const staged = reinterpret_cast<float*>(shared);
  float* const ring = staged + buffers * buffer_words;

  const int group = blockIdx.x / shape.splits / shape.tiles, tile = blockIdx.x / shape.splits % shape.tiles;
  const int channels = shape.out_channels - tile * tile_channels;
  Place place = {0, 0};
  place.advance(blockIdx.x % shape.splits, shape.units);
  Place coming = place;
  for (int i = 0; i < depth; ++i) {
    load_unit(input, ring + i * most_taps_y * slot_words, shape, group, coming);
    coming.advance(shape.splits, shape.units);
  }
  stage_weights(staged, kernel, shape, group, tile);
  clear_margins(ring, shape);
  __syncthreads();
  Weights weights;
  load_weights(weights, staged, shape, group, tile);
  __syncthreads();  // the place of the weights is free
  clear_staging<threads>(staged, shape);
  const int m = threadIdx.x % 32 / 4;
  const Plane own_plane(first_plane_of(output, shape, group, tile, 0) +
                        static_cast<long long>(channel_of(m)) * shape.out_plane());
  float* const own_row = staged + m * staged_pitch + staged_skew(own_plane, shape);
  __pipeline_wait_prior(depth - 1);
  __syncthreads();

  int buffer = 0, slot = 0;
  while (place.sample < shape.batch_size) {
    float* const taken = ring + slot * most_taps_y * slot_words;
    const float* const slots_of_taps[most_taps_y] = {taken, taken + slot_words, taken + 2 * slot_words};
    compute_unit<pairs>(own_row + buffer * buffer_words, slots_of_taps, weights, shape);
    __pipeline_wait_prior(depth - 2);  // the next unit's input
    __syncthreads();
    load_unit(input, taken, shape, group, coming);
    store_unit<warps>(first_plane_of(output, shape, group, tile, place.sample),
                      staged + buffer * buffer_words, shape, place.u, channels);
    place.advance(shape.splits, shape.units);
    coming.advance(shape.splits, shape.units);
    buffer = buffer + 1 < buffers ? buffer + 1 : 0;
    slot = slot + 1 < depth ? slot + 1 : 0;
  }
}

// False, and nothing launched, where this is not for the shape.
inline bool solve(const float* input, const float* kernel, float* output, size_t batch_size, Shape shape) {
  const size_t out_plane = static_cast<size_t>(shape.out_height) * shape.out_width;
  const size_t channels = static_cast<size_t>(shape.groups) * shape.out_channels;
  // Staged rows have a place of their own that must do for all samples.
  if (channels * out_plane % 4 != 0 && batch_size > 1) return false;
  shape.batch_size = static_cast<int>(batch_size);
  const unsigned blocks =
      split_units(shape, static_cast<size_t>(shape.groups) * shape.tiles, batch_size * shape.units);
  shape.vectors = shape.width % 4 == 0 && reinterpret_cast<size_t>(input) % 16 == 0;
  const bool pairs = shape.lead % 2 == 0 && reinterpret_cast<size_t>(output) % 8 == 0;
  const auto kernel_function = pairs ? make_rows<true> : make_rows<false>;
  if (blocks == 0 || cudaFuncSetAttribute(kernel_function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(shared_bytes)) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  kernel_function<<<blocks, threads, shared_bytes>>>(input, kernel, output, shape);
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace rows
