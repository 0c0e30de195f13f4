// Weights and pixels from global memory to halves in shared memory, as products take them.
#pragma once

#include "split.cuh"
#include "task.cuh"

// All weights of the block, to [chunk][tap][8 input channels][lo, hi][slot][output channel][8].
template <int halves, int slots, int channels>
__device__ void load_weights(const float* __restrict__ kernel, uint4* shared, const Task& task, Seen& seen) {
  const Shape& shape = task.shape;
  const int width = slots * channels, taps = task.taps();
  for (int index = threadIdx.x; index < task.chunks * taps * 2 * width; index += blockDim.x) {
    const int n = index % width, eight = index / width % 2;
    const int tap = index / width / 2 % taps, part = index / width / 2 / taps;
    const int z = n / channels, y = tap / task.columns.count, x = tap % task.columns.count;
    const int out_channel = task.first_channel(channels) + n % channels;
    const int in_channel = (task.first_chunk + part) * chunk + eight * 8;
    const int row =
        (task.levels.first + z * task.levels.step) * shape.y.taps + task.rows.first + y * task.rows.step;
    const int place = row * shape.x.taps + task.columns.first + x * task.columns.step;
    const long long slice =
        static_cast<long long>(task.group() * shape.in_channels + in_channel) * shape.out_channels +
        out_channel;
    const float* source = kernel + slice * shape.taps() + place;
    float values[8];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const bool there =
          z < task.levels.count && out_channel < shape.out_channels && in_channel + c < shape.in_channels;
      values[c] =
          there ? __ldg(source + static_cast<long long>(c) * shape.out_channels * shape.taps()) : 0.0f;
    }
    uint4* const lo = shared + index / width * halves * width + n;
    split<halves>(values, weight_scale, lo + (halves - 1) * width, lo, seen);
  }
}

// Loads the pixels of one stage after the other: those of a chunk's channels in the window of a plane. A
// thread loads `batches` pixels ahead, and others late.
template <int halves, int threads, int batches>
struct Loader {
  const float* input;
  Walk walk;
  int part = 0;
  int tile = 0;
  const float* source = nullptr;  // the stage's first channel and pixel
  int places[batches];            // in the input's plane, of the caller's pixels; negative outside
  float values[batches][chunk];
  Seen seen;

  __device__ Loader(const Task& task, const float* input, int tile_pixels) : input(input), walk() {
    enter(task, tile_pixels);
    if (!over() && !task.has(walk.plane)) next_plane(task, tile_pixels);
    find_source(task);
  }
  __device__ bool over() const { return walk.over(); }
  // In the input's plane, of a pixel of the window.
  __device__ int place_of(const Task& task, int pixel) const {
    const Shape& shape = task.shape;
    const int from = tile + pixel + shape.x.window - task.columns.furthest() +
                     (shape.y.window - task.rows.furthest()) * shape.x.pitch;
    const int y = from / shape.x.pitch - shape.y.lead, x = from % shape.x.pitch - shape.x.lead;
    const bool inside = pixel < task.window && y >= 0 && y < shape.y.input && x >= 0 && x < shape.x.input;
    return inside ? y * shape.x.input + x : -1;
  }
  __device__ void enter(const Task& task, int tile_pixels) {
    const int march = walk.enter(task);
    tile = march % task.tiles * tile_pixels;
    sample = march / task.tiles / task.residues;
#pragma unroll
    for (int i = 0; i < batches; ++i) places[i] = place_of(task, threadIdx.x + i * threads);
  }
  // To one that there is.
  __device__ void next_plane(const Task& task, int tile_pixels) {
    do {
      if (walk.advance(task)) enter(task, tile_pixels);
    } while (!over() && !task.has(walk.plane));
  }
  __device__ void advance(const Task& task, int tile_pixels) {
    if (++part == task.chunks) {
      part = 0;
      next_plane(task, tile_pixels);
    }
    find_source(task);
  }
  __device__ void find_source(const Task& task) {
    const Shape& shape = task.shape;
    const int channel =
        (sample * shape.groups + task.group()) * shape.in_channels + (task.first_chunk + part) * chunk;
    source =
        input + channel * task.in_plane + static_cast<long long>(walk.plane) * shape.y.input * shape.x.input;
  }
  // What a pixel outside has is not used. A channel that there is not repeats the last: its weights are 0.
  __device__ void load_pixel(const Task& task, float (&to)[chunk], int place) const {
    const int channels = task.shape.in_channels - (task.first_chunk + part) * chunk;
    const float* own = source + (place < 0 ? 0 : place);
#pragma unroll
    for (int c = 0; c < chunk; ++c) {
      to[c] = __ldg(own);
      if (c + 1 < channels) own += task.in_plane;
    }
  }
  __device__ void load(const Task& task) {
#pragma unroll
    for (int i = 0; i < batches; ++i) load_pixel(task, values[i], places[i]);
  }
  // To [half][8 channels][pixel][8].
  __device__ void store_pixel(const Task& task, const float (&from)[chunk], int place, uint4* stage,
                              int pixel) {
    if (pixel >= task.window) return;
#pragma unroll
    for (int eight = 0; eight < 2; ++eight) {
      float channels[8];
#pragma unroll
      for (int c = 0; c < 8; ++c) channels[c] = place < 0 ? 0.0f : from[eight * 8 + c];
      uint4* const hi = stage + eight * task.window + pixel;
      split<halves>(channels, input_scale, hi, hi + 2 * task.window, seen);
    }
  }
  __device__ void store(const Task& task, uint4* stage) {
#pragma unroll
    for (int i = 0; i < batches; ++i)
      store_pixel(task, values[i], places[i], stage, threadIdx.x + i * threads);
    for (int pixel = threadIdx.x + batches * threads; pixel < task.window; pixel += threads) {
      const int place = place_of(task, pixel);
      load_pixel(task, values[0], place);
      store_pixel(task, values[0], place, stage, pixel);
    }
    fence_for_products();
  }
  // Stores what is loaded, and loads what comes after it.
  __device__ void go_on(const Task& task, int tile_pixels, uint4* stage) {
    if (over()) return;
    store(task, stage);
    advance(task, tile_pixels);
    if (!over()) load(task);
  }

 private:
  int sample = 0;
};
