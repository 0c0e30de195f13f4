// The products of a transposed convolution on Hopper's tensor cores.
//
// A block is persistent: it takes one tile of the stream (transposed_axes.cuh) after another. Its last
// warpgroups produce: they read fp32 inputs, split them in halves and store them in shared memory, where
// products read them: nothing is packed in global memory first. The other warpgroups consume: each multiplies
// the weights of 64 output channels with `columns` pixels of its own. Producers run ahead by some slots, over
// the ends of tiles as well; so does a warpgroup that is done with a tile while another one writes its own.
//
// Shared memory has rings of slots for
// - weights: a row of taps of a chunk of 16 input channels, [tap][half][8 channels][64 output channels][8],
// - pixels: the window of a tile in a chunk, [half][8 channels][pixel][8]: of one row of taps, or of all of
//   them if rows of pixels are short.
// A tap is a distance of so many pixels in the window, of 16 bytes each: a constant in an operand's address.
#pragma once

#include "stream_work.cuh"

// ---- Producing.

// Two values as halves, side by side.
__device__ inline unsigned bits_of(__half2 pair) { return *reinterpret_cast<unsigned*>(&pair); }

// 8 channels of a pixel to a window, whose halves lie `half_bytes` apart.
template <int halves>
__device__ void store_pixel(char* target, int half_bytes, const float (&values)[8], Seen& seen) {
  unsigned hi[4], lo[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float x = values[2 * i] * input_scale, y = values[2 * i + 1] * input_scale;
    seen.fits = seen.fits && fabsf(x) < 65504.0f && fabsf(y) < 65504.0f;  // not for NaN
    const __half2 high = __floats2half2_rn(x, y);
    const float2 kept = __half22float2(high);
    hi[i] = bits_of(high);
    seen.add(hi[i]);
    lo[i] = bits_of(__floats2half2_rn(x - kept.x, y - kept.y));
  }
  *reinterpret_cast<uint4*>(target) = make_uint4(hi[0], hi[1], hi[2], hi[3]);
  if (halves == 2) *reinterpret_cast<uint4*>(target + half_bytes) = make_uint4(lo[0], lo[1], lo[2], lo[3]);
}

// A chunk of `pixels` pixels of the stream to a window. Thread `rank` has 8 of the channels, of the pixel at
// `position` and of every one that `shape.stride` leads to. `left` of its channels exist.
template <class K>
__device__ void fill_window(char* window, const float* input, const Shape& shape, Position position,
                            int pixels, int left, int rank, Seen& seen) {
  const int stride = K::producer_threads / 2;
  const int half_bytes = 2 * shape.window_pixels * 16;
  const long long plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const long long sample_values = plane * shape.groups * shape.in_channels;
  window += rank / stride * shape.window_pixels * 16;
  for (int pixel = rank % stride; pixel < pixels; pixel += K::batch * stride) {
    float values[K::batch][8];
#pragma unroll
    for (int b = 0; b < K::batch; ++b) {
      const int row = position.y - shape.y.lead, column = position.x - shape.x.lead;
      const bool inside = pixel + b * stride < pixels && position.sample < shape.batch_size &&
                          static_cast<unsigned>(row) < static_cast<unsigned>(shape.y.input) &&
                          static_cast<unsigned>(column) < static_cast<unsigned>(shape.x.input);
      const int channels = inside ? left : 0;
      const float* source = input + position.sample * sample_values + row * shape.x.input + column;
#pragma unroll
      for (int c = 0; c < 8; ++c) values[b][c] = c < channels ? __ldg(source + c * plane) : 0.0f;
      advance(position, shape.stride, shape.y, shape.x);
    }
#pragma unroll
    for (int b = 0; b < K::batch; ++b) {
      const int own = pixel + b * stride;
      if (own < pixels) store_pixel<K::halves>(window + own * 16, half_bytes, values[b], seen);
    }
  }
}

template <class K>
__device__ void produce(const Rings& rings, const float* input, const __half* packed_weights,
                        const Shape& shape, Range* range) {
  const int rank = threadIdx.x - K::consumers * warpgroup, lane = threadIdx.x % 32;
  const long long plane = static_cast<long long>(shape.y.input) * shape.x.input;
  Turn weights, pixels;
  Seen seen;
  for (unsigned index = blockIdx.x; index < shape.work_tiles; index += gridDim.x) {
    const Tile tile(index, shape, K::tile_pixels);
    const int columns = tile.columns, rows = tile.rows;
    const int window_pixels =
        K::tile_pixels + columns - 1 + (shape.whole_windows ? (rows - 1) * shape.x.pitch : 0);
    const unsigned weight_bytes = columns * K::halves * half_tap_bytes;
    const unsigned first =
        tile.first_pixel + shape.x.window - (columns - 1) + rank % (K::producer_threads / 2);
    const Position begin = position_of(first, shape.y, shape.x);
    const int first_column = taps_before(shape.x, tile.phase_x);
    const int steps = tile.steps(shape);
    int row = 0, part = shape.first_chunk;
    for (int step = 0; step < steps; ++step) {
      const int tap_row = tile.phase_y + row * shape.y.stride;
      const long long block =
          ((static_cast<long long>(tile.plane) * shape.y.taps + tap_row) * shape.chunks + part) *
              shape.x.taps +
          first_column;
      Barrier* const full = rings.weights_full + weights.slot;
      wait(rings.weights_empty + weights.slot, weights.round + 1);
      start_copy(rings.weights + weights.slot * shape.weight_bytes,
                 reinterpret_cast<const char*>(packed_weights) + block * K::halves * half_tap_bytes,
                 weight_bytes, full, rank, K::producer_threads);
      __syncwarp();
      if (rank == 0) {
        arrive_after(full, weight_bytes);
      } else if (lane == 0) {
        arrive(full);
      }
      weights.next(shape.weight_slots);

      if (row == 0 || !shape.whole_windows) {
        wait(rings.pixels_empty + pixels.slot, pixels.round + 1);
        Position position = begin;
        const int further = shape.y.window - (shape.whole_windows ? rows - 1 : row);
        advance(position, {0, further, 0}, shape.y, shape.x);
        const int channel = part * chunk + rank / (K::producer_threads / 2) * 8;
        fill_window<K>(rings.pixels + pixels.slot * shape.pixel_bytes,
                       input + (static_cast<long long>(tile.group) * shape.in_channels + channel) * plane,
                       shape, position, window_pixels, shape.in_channels - channel, rank, seen);
        fence_for_products();
        __syncwarp();
        if (lane == 0) arrive(rings.pixels_full + pixels.slot);
        pixels.next(shape.pixel_slots);
      }
      if (++row == rows) row = 0, ++part;
    }
  }
  report(seen, &range->too_large, &range->input_counts);
}

// ---- Consuming.

// The sums of a warpgroup: `small` are those of the products of which one operand is `lo`. Tensor cores cut
// off what a sum has no bits for, in proportion to its size and to the number of additions: apart, the two
// thirds of them that are small cost the large ones nothing.
template <class K>
struct Sums {
  float large[K::columns / 2], small[K::halves == 2 ? K::columns / 2 : 1];
};

// Adds a row of taps. The first tap reads the last pixels of the window.
template <class K>
__device__ void multiply_row(Sums<K>& sums, std::uint64_t weights, std::uint64_t pixels,
                             std::uint32_t half_pixels, int taps) {
  pixels += taps;
  for (int tap = 0; tap < taps; ++tap) {
    --pixels;
    if constexpr (K::halves == 2) {
      add_product<K::columns>(sums.small, weights, pixels + half_pixels);
      add_product<K::columns>(sums.small, weights + half_tap_bytes / 16, pixels);
    }
    add_product<K::columns>(sums.large, weights, pixels);
    weights += K::halves * half_tap_bytes / 16;
  }
}

// `finish(shape, tile, sums, pixel, staged)` is given the results of a warpgroup from `pixel` on, as
// add_product has them, and shared memory for each warp.
template <class K, class Finish>
__device__ void consume(const Rings& rings, const Shape& shape, char* staged, const Finish& finish) {
  const int own = threadIdx.x / warpgroup, lane = threadIdx.x % 32;
  const std::uint32_t half_pixels = 2 * shape.window_pixels;  // in units of 16 bytes, as below
  Turn weights, pixels;
  for (unsigned index = blockIdx.x; index < shape.work_tiles; index += gridDim.x) {
    const Tile tile(index, shape, K::tile_pixels);
    const int steps = tile.steps(shape);
    Sums<K> sums;
#pragma unroll
    for (float& sum : sums.large) sum = 0.0f;
#pragma unroll
    for (float& sum : sums.small) sum = 0.0f;
    int row = 0;
    Barrier *read_weights = nullptr, *read_pixels = nullptr;  // of the step before, to say it is done
    for (int step = 0; step < steps; ++step) {
      wait(rings.weights_full + weights.slot, weights.round);
      if (row == 0 || !shape.whole_windows) wait(rings.pixels_full + pixels.slot, pixels.round);
      const int begin = (shape.whole_windows ? (tile.rows - 1 - row) * shape.x.pitch : 0) + own * K::columns;
      const std::uint64_t a =
          operand_at(rings.weights + weights.slot * shape.weight_bytes, tile_channels * 16, 128);
      const std::uint64_t b = operand_at(rings.pixels + pixels.slot * shape.pixel_bytes + begin * 16,
                                         shape.window_pixels * 16, 128);
      begin_products();
      multiply_row<K>(sums, a, b, half_pixels, tile.columns);
      commit_products();

      wait_for_products<1>();
      __syncwarp();
      if (lane == 0 && read_weights != nullptr) arrive(read_weights);
      if (lane == 0 && read_pixels != nullptr) arrive(read_pixels);
      read_weights = rings.weights_empty + weights.slot;
      weights.next(shape.weight_slots);
      read_pixels = nullptr;
      if (++row == tile.rows) row = 0;
      if (row == 0 || !shape.whole_windows) {
        read_pixels = rings.pixels_empty + pixels.slot;
        pixels.next(shape.pixel_slots);
      }
    }
    wait_for_products<0>();
    use_sums(sums.large);
    use_sums(sums.small);
    __syncwarp();
    if (lane == 0 && read_weights != nullptr) arrive(read_weights);
    if (lane == 0 && read_pixels != nullptr) arrive(read_pixels);

    const float scale = 1.0f / (input_scale * weight_scale);
#pragma unroll
    for (int i = 0; i < K::columns / 2; ++i) {
      sums.large[i] = (sums.large[i] + (K::halves == 2 ? sums.small[K::halves == 2 ? i : 0] : 0.0f)) * scale;
    }
    finish(shape, tile, sums.large, tile.first_pixel + own * K::columns,
           reinterpret_cast<float*>(staged + threadIdx.x / 32 * staged_bytes));
  }
}

template <class K, class Finish>
__global__ void __launch_bounds__(K::block_threads, 1)
    multiply(const float* __restrict__ input, const __half* __restrict__ packed_weights, Finish finish,
             Shape shape, Range* range) {
  extern __shared__ uint4 shared[];
  char* const staged = reinterpret_cast<char*>(shared);
  const Rings rings(staged + K::consumers * 4 * staged_bytes, shape);
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < most_slots; ++slot) {
      start_barrier(rings.weights_full + slot, K::producers * 4);
      start_barrier(rings.pixels_full + slot, K::producers * 4);
      start_barrier(rings.weights_empty + slot, K::consumers * 4);
      start_barrier(rings.pixels_empty + slot, K::consumers * 4);
    }
    fence_barriers();
  }
  __syncthreads();
  if (threadIdx.x >= K::consumers * warpgroup) {
    give_registers_back<K::producer_registers>();
    produce<K>(rings, input, packed_weights, shape, range);
  } else {
    take_registers<K::consumer_registers>();
    consume<K>(rings, shape, staged, finish);
  }
}

// ---- Launching.

// Packs the weights and multiplies, in several passes where sums would get too long. Returns their number, or
// 0 where the results are not there: it is another kernel's shape, or the device refuses.
template <class K, class Finish>
int launch_products(const float* input, const float* kernel, const Finish& finish, Shape shape,
                    Range* range) {
  int device = 0, processors = 0, shared_limit = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  shape.chunks = (shape.in_channels + chunk - 1) / chunk;
  shape.tiles = (shape.out_channels + tile_channels - 1) / tile_channels;
  std::size_t shared_bytes = 0;
  if (!plan<K>(shape, shared_limit, shared_bytes)) return 0;
  const std::size_t weights =
      static_cast<std::size_t>(shape.planes()) * shape.chunks * shape.y.taps * shape.x.taps;
  __half* packed = nullptr;
  if (cudaFuncSetAttribute(multiply<K, Finish>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes)) != cudaSuccess ||
      cudaMallocAsync(&packed, weights * K::halves * half_tap_bytes, nullptr) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  pack_weights<K::halves>
      <<<blocks_for(weights * chunk * tile_channels, threads), threads>>>(kernel, packed, shape, range);
  const unsigned blocks = shape.work_tiles < static_cast<unsigned>(processors)
                              ? shape.work_tiles
                              : static_cast<unsigned>(processors);
  const int taps = taps_in(shape.y, 0) * taps_in(shape.x, 0);
  const int chunks_of_pass = most_additions / taps;
  int passes = 0;
  for (; shape.first_chunk < shape.chunks; shape.first_chunk = shape.end_chunk, ++passes) {
    const int end = shape.first_chunk + chunks_of_pass;
    shape.end_chunk = end < shape.chunks ? end : shape.chunks;
    multiply<K><<<blocks, K::block_threads, shared_bytes>>>(input, packed, finish, shape, range);
  }
  const bool launched = cudaGetLastError() == cudaSuccess;
  cudaFreeAsync(packed, nullptr);
  return launched ? passes : 0;
}
