// The work of a transposed convolution on tensor cores: its shape, the tiles that blocks take, the rings in
// shared memory (stream_products.cuh says what they hold), and weights as slots have them.
#pragma once

#include "range.cuh"
#include "transposed_axes.cuh"
#include "wgmma.cuh"

const int chunk = 16;                                  // channels of a product
const int tile_channels = 64;                          // output channels of a product
const int half_tap_bytes = chunk * tile_channels * 2;  // the weights of a tap, one half of them
const int warpgroup = 128;
const int threads = 256;      // of the kernels beside `multiply`
const int staged_pitch = 40;  // floats from one channel's 32 results to the next one's: no bank conflicts
const int staged_bytes = chunk * staged_pitch * 4;  // of a consumer's warp
const int most_slots = 4;
const int most_additions = 128;                            // to a sum: tensor cores cut off a little at each
const int most_phases = 4096;                              // beyond, there is next to nothing in each
const float input_scale = 256.0f, weight_scale = 4096.0f;  // powers of two: exact

// `halves` that an operand is split in: of 2, three products are made; of 1, one. Registers are those that a
// thread has after they have been shared out.
template <int halves_, int columns_, int consumers_, int producers_, int consumer_registers_,
          int producer_registers_, int batch_>
struct Knobs {
  static constexpr int halves = halves_;
  static constexpr int columns = columns_;      // pixels of a consuming warpgroup
  static constexpr int consumers = consumers_;  // warpgroups
  static constexpr int producers = producers_;
  static constexpr int consumer_registers = consumer_registers_;
  static constexpr int producer_registers = producer_registers_;
  static constexpr int batch = batch_;  // loads of 8 channels that a producer has under way
  static constexpr int tile_pixels = columns * consumers;
  static constexpr int block_threads = warpgroup * (consumers + producers);
  static constexpr int producer_threads = warpgroup * producers;
};

struct Shape {
  Axis y, x;
  int batch_size, groups, in_channels, out_channels;  // channels of a group
  int chunks, tiles;                                  // of a group: input channels, output channels
  int first_chunk, end_chunk;                         // of a pass; a later pass adds to the results
  unsigned pixels;                                    // of the padded stream that there are outputs for

  bool whole_windows;              // a window serves all rows of taps
  int window_pixels;               // at most
  int weight_slots, weight_bytes;  // of a slot
  int pixel_slots, pixel_bytes;
  Position stride;                   // of a producing thread, in pixels
  unsigned pixel_tiles, work_tiles;  // tiles of the stream, and in all

  __host__ __device__ int planes() const { return groups * tiles; }
  __host__ __device__ int phases() const { return y.stride * x.stride; }
};

// What a block computes: the outputs of a phase, of a tile of output channels, of consecutive pixels.
struct Tile {
  int phase_y, phase_x, rows, columns;  // rows and columns of taps
  int group, first_channel;             // of the group
  int plane;
  unsigned first_pixel;

  __device__ Tile(unsigned index, const Shape& shape, int tile_pixels) {
    plane = static_cast<int>(index % shape.planes());
    index /= shape.planes();
    first_pixel = index % shape.pixel_tiles * tile_pixels;
    const int phase = static_cast<int>(index / shape.pixel_tiles);
    phase_y = phase / shape.x.stride;
    phase_x = phase % shape.x.stride;
    rows = taps_in(shape.y, phase_y);
    columns = taps_in(shape.x, phase_x);
    group = plane / shape.tiles;
    first_channel = plane % shape.tiles * tile_channels;
  }
  __device__ int steps(const Shape& shape) const {
    return columns > 0 ? rows * (shape.end_chunk - shape.first_chunk) : 0;
  }
};

// A slot of a ring, and how often the ring has been gone round.
struct Turn {
  int slot = 0;
  unsigned round = 0;
  __device__ void next(int slots) {
    if (++slot == slots) slot = 0, ++round;
  }
};

struct Rings {
  char *weights, *pixels;
  Barrier *weights_full, *weights_empty, *pixels_full, *pixels_empty;

  __device__ Rings(char* memory, const Shape& shape) {
    weights_full = reinterpret_cast<Barrier*>(memory);
    weights_empty = weights_full + most_slots;
    pixels_full = weights_empty + most_slots;
    pixels_empty = pixels_full + most_slots;
    weights = memory + 4 * most_slots * sizeof(Barrier);
    pixels = weights + shape.weight_slots * shape.weight_bytes;
  }
};

// ---- Weights.

// hi + lo = x * scale. `seen.fits` turns false where that is too large for halves, or NaN.
__device__ inline void split(float x, float scale, __half& hi, __half& lo, Seen& seen) {
  const float scaled = x * scale;
  seen.fits = seen.fits && fabsf(scaled) < 65504.0f;
  hi = __float2half_rn(scaled);
  seen.add(__half_as_ushort(hi));
  lo = __float2half_rn(scaled - __half2float(hi));
}

// To [group and tile][row of taps][chunk][tap][half][8 channels][output channel][8], as slots have them; the
// taps of a row in the order of their phases.
template <int halves>
__global__ void __launch_bounds__(threads)
    pack_weights(const float* __restrict__ kernel, __half* __restrict__ packed, Shape shape, Range* range) {
  const int per_tap = chunk * tile_channels;
  const long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  const int place = static_cast<int>(index % per_tap);
  const long long block = index / per_tap;
  const int part = static_cast<int>(block / shape.x.taps % shape.chunks);
  const int row = static_cast<int>(block / shape.x.taps / shape.chunks % shape.y.taps);
  const int plane = static_cast<int>(block / shape.x.taps / shape.chunks / shape.y.taps);
  if (plane >= shape.planes()) return;  // all threads of a warp
  int number = static_cast<int>(block % shape.x.taps), phase = 0;
  for (; number >= taps_in(shape.x, phase); ++phase) number -= taps_in(shape.x, phase);
  const int tap = row * shape.x.taps + phase + number * shape.x.stride;

  const int group = plane / shape.tiles;
  const int in_channel = part * chunk + place / (8 * tile_channels) * 8 + place % 8;
  const int out_channel = plane % shape.tiles * tile_channels + place / 8 % tile_channels;
  float value = 0.0f;
  if (in_channel < shape.in_channels && out_channel < shape.out_channels) {
    const long long slice =
        static_cast<long long>(group * shape.in_channels + in_channel) * shape.out_channels + out_channel;
    value = kernel[slice * shape.y.taps * shape.x.taps + tap];
  }
  Seen seen;
  __half hi, lo;
  split(value, weight_scale, hi, lo, seen);
  __half* target = packed + block * halves * per_tap + place;
  target[0] = hi;
  if (halves == 2) target[per_tap] = lo;
  report(seen, &range->too_large, &range->weights_count);
}

// ---- Sharing out.

inline unsigned blocks_for(std::size_t count, int size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

// Shares out shared memory; false if there is too little of it, if numbers get too large, or if one chunk's
// taps are more than a sum may have.
template <class K>
bool plan(Shape& shape, std::size_t shared_limit, std::size_t& shared_bytes) {
  const std::size_t rows = taps_in(shape.y, 0), columns = taps_in(shape.x, 0);  // phase 0 has the most
  if (rows * columns > most_additions ||
      static_cast<std::size_t>(shape.y.stride) * shape.x.stride > most_phases)
    return false;
  const std::size_t pixels = static_cast<std::size_t>(shape.batch_size) * shape.y.pitch * shape.x.pitch;
  const std::size_t tiles = (pixels + K::tile_pixels - 1) / K::tile_pixels;
  const std::size_t work_tiles = tiles * shape.planes() * shape.phases();
  if (pixels > 1u << 30 || work_tiles > 1u << 30) return false;
  shape.pixels = static_cast<unsigned>(pixels);
  shape.pixel_tiles = static_cast<unsigned>(tiles);
  shape.work_tiles = static_cast<unsigned>(work_tiles);
  shape.stride = position_of(K::producer_threads / 2, shape.y, shape.x);

  const std::size_t more_rows = (rows - 1) * shape.x.pitch;
  shape.whole_windows = rows > 1 && more_rows <= K::tile_pixels;
  shape.window_pixels =
      static_cast<int>(K::tile_pixels + columns - 1 + (shape.whole_windows ? more_rows : 0));
  shape.weight_bytes = static_cast<int>(columns * K::halves * half_tap_bytes);
  shape.pixel_bytes = K::halves * shape.window_pixels * chunk * 2;
  const std::size_t taken = K::consumers * 4 * staged_bytes + 4 * most_slots * sizeof(Barrier);
  shape.pixel_slots = shape.weight_slots = 2;
  const auto bytes = [&] {
    return taken + static_cast<std::size_t>(shape.weight_slots) * shape.weight_bytes +
           static_cast<std::size_t>(shape.pixel_slots) * shape.pixel_bytes;
  };
  if (bytes() > shared_limit || shape.window_pixels > 16000) return false;
  for (bool more = true; more;) {
    more = false;
    for (int* slots : {&shape.weight_slots, &shape.pixel_slots}) {
      if (*slots == most_slots || (slots == &shape.pixel_slots && shape.whole_windows)) continue;
      ++*slots;
      more = bytes() <= shared_limit;
      if (!more) --*slots;
      if (!more) break;
    }
  }
  shared_bytes = bytes();
  return true;
}
