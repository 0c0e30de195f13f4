// Shapes that the rows of rows.cuh do not cover: products of halves on tensor cores through wmma, and a plain
// kernel for whatever is left.
//
// - x = hi + lo, hi is fp16(x), lo is fp16 of the rest, and hi * hi, hi * lo and lo * hi are summed in fp32.
// - Outputs fall into phases by their remainder to the stride. Where a row of the kernel is less than twice
//   as long as the stride, an output reads two neighbouring columns of the input at most. Stored column by
//   column, with 8 channels side by side, any two neighbours are 16 values in a row: the rows of a 32 x 16
//   operand that begins anywhere, overlapping.
// - A warp computes all phases of 32 columns for 16 or 32 output channels, and writes them as one run of a
//   row.
// - Inputs are scaled by 2^8 and weights by 2^12, so that `lo` has all its bits. Where values are too large for
//   that, or all of them too small (range.cuh), the plain kernel at the end computes everything. It also does
//   other shapes.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include "range.cuh"

namespace other_shapes {

namespace wmma = nvcuda::wmma;

const int warps = 8;
const int threads = 32 * warps;
const int tile_columns = 128,
          tile_rows = warps * 32 / tile_columns;  // of one phase's outputs; 32 columns a warp
const int row_pitch =
    tile_columns + 2;  // columns of a row in shared memory: even, which aligns every operand
const int chunk = 8;   // channels side by side
const int weight_block = 2 * chunk * 8;  // of a product: two columns' channels by 8 output channels
const int staged_pitch = 36;             // floats from one channel's 32 results to the next one's
const int phase_pitch = 8 * staged_pitch + 8;
const int most_stride = 64;  // of rows: beyond, there is next to nothing in a phase
const float input_scale = 256.0f, weight_scale = 4096.0f;  // powers of two: exact

// One axis. Output y has the phase (y + padding) % stride and is number (y + padding) / stride - first of it.
struct Axis {
  int input, output, taps, stride, padding, dilation, first, outputs;
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
  axis.outputs = (axis.output - 1 + axis.padding) / axis.stride - axis.first + 1;
  return axis;
}

// The output that is number q of a phase; none where negative.
__device__ int output_of(const Axis& axis, int q, int phase) {
  const int y = (q + axis.first) * axis.stride + phase - axis.padding;
  return y < axis.output ? y : -1;
}

// The taps of a phase are first, first + step, ... They take output q to the inputs q - shift,
// q - shift - shift_step, ...
struct Taps {
  int first, step, count, shift, shift_step;
};

__host__ __device__ Taps taps_of(const Axis& axis, int phase) {
  int divisor = axis.stride;  // the greatest common one of stride and dilation
  while (axis.stride % divisor != 0 || axis.dilation % divisor != 0) --divisor;
  Taps taps = {0, axis.stride / divisor, 0, 0, axis.dilation / divisor};
  while (taps.first < taps.step && (taps.first * axis.dilation - phase) % axis.stride != 0) ++taps.first;
  if (taps.first == taps.step || taps.first >= axis.taps) return taps;
  taps.count = (axis.taps - 1 - taps.first) / taps.step + 1;
  taps.shift = (taps.first * axis.dilation - phase) / axis.stride;
  return taps;
}

struct Shape {
  Axis y, x;
  int batch_size, groups, in_channels, out_channels;  // channels of a group
  int chunks, tiles;                                  // of a group: input channels, output channels

  __host__ __device__ long long output_plane() const { return static_cast<long long>(y.output) * x.output; }
};

// ---- Products on tensor cores.

__device__ void split(float x, float scale, __half& hi, __half& lo, Seen& seen) {
  const float scaled = x * scale;
  seen.fits = seen.fits && fabsf(scaled) < 65504.0f;  // not for NaN
  hi = __float2half_rn(scaled);
  seen.add(__half_as_ushort(hi));
  lo = __float2half_rn(scaled - __half2float(hi));
}

// To [group and tile of output channels][chunk][row of the kernel][phase of x][half][fragment][operand's
// row][8]. The operand's rows 0 to 7 are the channels of the column to the left (shift 1), 8 to 15 of the
// column itself.
template <int phases, int fragments>
__global__ void __launch_bounds__(threads)
    pack_weights(const float* __restrict__ kernel, __half* __restrict__ packed, Shape shape, Range* range) {
  const int size = fragments * weight_block;
  const int index = blockIdx.x * threads + threadIdx.x, place = index % size, block = index / size;
  const int phase = block % phases, k = block / phases % shape.y.taps;
  const int part = block / phases / shape.y.taps % shape.chunks;
  const int tile = block / phases / shape.y.taps / shape.chunks % shape.tiles;
  const int group = block / phases / shape.y.taps / shape.chunks / shape.tiles;
  if (group >= shape.groups) return;  // all threads of a warp

  const int in_channel = part * chunk + place / 8 % chunk;
  const int shift = 1 - place / 8 / chunk % 2;
  const int out_channel = tile * fragments * 8 + place / weight_block * 8 + place % 8;
  const int distance = shift * shape.x.stride + phase, l = distance / shape.x.dilation;
  const bool is_tap = distance % shape.x.dilation == 0 && l < shape.x.taps;
  float value = 0.0f;
  if (is_tap && in_channel < shape.in_channels && out_channel < shape.out_channels) {
    const size_t slice =
        static_cast<size_t>(group * shape.in_channels + in_channel) * shape.out_channels + out_channel;
    value = kernel[(slice * shape.y.taps + k) * shape.x.taps + l];
  }
  __half* target = packed + static_cast<size_t>(block) * 2 * size + place;
  Seen seen;
  split(value, weight_scale, target[0], target[size], seen);
  report(seen, &range->too_large, &range->weights_count);
}

// Rows `top` and following of 8 channels to [half][row][column][channel]; the first column is `left`.
__device__ void load_input(const float* source, __half* tile, const Shape& shape, int channels, int rows,
                           int top, int left, Seen& seen) {
  const size_t plane = static_cast<size_t>(shape.y.input) * shape.x.input;
  for (int i = threadIdx.x; i < rows * row_pitch; i += threads) {
    const int row = top + i / row_pitch, column = left + i % row_pitch;
    const bool inside = row >= 0 && row < shape.y.input && column >= 0 && column < shape.x.input;
    const float* own = source + static_cast<long long>(row) * shape.x.input + column;
    alignas(16) __half hi[chunk], lo[chunk];
#pragma unroll
    for (int c = 0; c < chunk; ++c) {
      const float value = inside && c < channels ? __ldg(own + c * plane) : 0.0f;
      split(value, input_scale, hi[c], lo[c], seen);
    }
    reinterpret_cast<uint4*>(tile)[i] = *reinterpret_cast<const uint4*>(hi);
    reinterpret_cast<uint4*>(tile)[rows * row_pitch + i] = *reinterpret_cast<const uint4*>(lo);
  }
}

// The weights of a phase's taps, `tap_halves` each, one after the other.
__device__ void load_weights(const __half* packed, __half* weights, int tap_halves, const Taps& taps) {
  const int vectors = tap_halves / 8;
  for (int i = threadIdx.x; i < taps.count * vectors; i += threads) {
    const int k = taps.first + i / vectors * taps.step;
    reinterpret_cast<uint4*>(weights)[i] =
        __ldg(reinterpret_cast<const uint4*>(packed) + k * vectors + i % vectors);
  }
}

using Columns = wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major>;
using Weights = wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, 32, 8, 16, float>;

// sums += columns * weights, for all phases and one chunk of channels. `tile` begins at the warp's columns.
template <int phases, int fragments>
__device__ void multiply_part(Sums (&sums)[phases][fragments], const __half* tile, int plane,
                              const __half* weights, const Taps& taps) {
  const int size = fragments * weight_block;
  for (auto& row : sums) {
    for (auto& fragment : row) wmma::fill_fragment(fragment, 0.0f);
  }
  for (int k = 0; k < taps.count; ++k) {
    const __half* own = tile + (taps.count - 1 - k) * taps.shift_step * row_pitch * chunk;
    Columns hi, lo;
    wmma::load_matrix_sync(hi, own, chunk);
    wmma::load_matrix_sync(lo, own + plane, chunk);
#pragma unroll
    for (int i = 0; i < phases * fragments; ++i) {
      Sums& sum = sums[i / fragments][i % fragments];
      const __half* weight = weights + (k * phases + i / fragments) * 2 * size + i % fragments * weight_block;
      Weights weights_hi, weights_lo;
      wmma::load_matrix_sync(weights_hi, weight, 8);
      wmma::load_matrix_sync(weights_lo, weight + size, 8);
      wmma::mma_sync(sum, lo, weights_hi, sum);
      wmma::mma_sync(sum, hi, weights_lo, sum);
      wmma::mma_sync(sum, hi, weights_hi, sum);
    }
  }
}

// Fragment n of all phases to row y of 8 planes, or to none where y is negative: through shared memory, so
// that a store's lanes write neighbours.
template <int phases, int fragments>
__device__ void write_row(const Sums (&sums)[phases][fragments], int n, float* staged, float* planes,
                          const Shape& shape, int y, int first_column, int channels) {
#pragma unroll
  for (int phase = 0; phase < phases; ++phase) {
    wmma::store_matrix_sync(staged + phase * phase_pitch, sums[phase][n], staged_pitch, wmma::mem_col_major);
  }
  __syncwarp();
  const int first_x = (first_column + shape.x.first) * phases - shape.x.padding;
  float* target = planes + static_cast<long long>(y) * shape.x.output + first_x;
  for (int c = 0; c < 8 && c < channels && y >= 0; ++c) {
#pragma unroll
    for (int i = 0; i < phases; ++i) {
      const int place = i * 32 + threadIdx.x % 32;
      const float value = staged[place % phases * phase_pitch + c * staged_pitch + place / phases];
      if (first_x + place >= 0 && first_x + place < shape.x.output) {
        __stcs(target + c * shape.output_plane() + place, value * (1.0f / (input_scale * weight_scale)));
      }
    }
  }
  __syncwarp();  // the next fragments take the same place
}

// Block: x counts tiles of a phase, y groups and tiles of output channels, z samples and phases of y.
// Tensor cores cut off what a sum has no bits for, ordinary additions round it: with several parts (chunks of
// channels) the sums of each are added to `total`, and with one alone they are the total.
template <int phases, int fragments, bool one_part>
__global__ void __launch_bounds__(threads, 2)
    multiply(const float* __restrict__ input, const __half* __restrict__ packed, float* __restrict__ output,
             Shape shape, Range* range) {
  extern __shared__ uint4 shared[];
  const int tiles_x = (shape.x.outputs + tile_columns - 1) / tile_columns;
  const int phase_y = blockIdx.z % shape.y.stride, sample = blockIdx.z / shape.y.stride;
  const int group = blockIdx.y / shape.tiles, warp = threadIdx.x / 32;
  const int first_row = blockIdx.x / tiles_x * tile_rows, first_column = blockIdx.x % tiles_x * tile_columns;
  const Taps taps = taps_of(shape.y, phase_y);

  const int margin = taps.count > 0 ? (taps.count - 1) * taps.shift_step : 0, rows = tile_rows + margin;
  const int plane = rows * row_pitch * chunk, tap_halves = phases * 2 * fragments * weight_block;
  __half* const tile = reinterpret_cast<__half*>(shared);
  __half* const weights = tile + 2 * plane;
  const int own_row = warp / (tile_columns / 32), own_column = warp % (tile_columns / 32) * 32;

  Sums total[phases][fragments], partial[phases][fragments];
  Sums(&sums)[phases][fragments] = one_part ? total : partial;
  for (auto& row : total) {
    for (auto& fragment : row) wmma::fill_fragment(fragment, 0.0f);
  }
  Seen seen;
  const int parts = taps.count > 0 ? shape.chunks : 0;
  for (int part = 0; part < parts; ++part) {
    __syncthreads();  // the part before has been read
    const int channel = group * shape.in_channels + part * chunk, left = shape.in_channels - part * chunk;
    const size_t in_plane = static_cast<size_t>(shape.y.input) * shape.x.input;
    load_input(input + (static_cast<size_t>(sample) * shape.groups * shape.in_channels + channel) * in_plane,
               tile, shape, left < chunk ? left : chunk, rows,
               first_row + shape.y.first - taps.shift - margin, first_column + shape.x.first - 1, seen);
    load_weights(packed + (blockIdx.y * shape.chunks + part) * static_cast<size_t>(shape.y.taps) * tap_halves,
                 weights, tap_halves, taps);
    __syncthreads();

    multiply_part<phases, fragments>(sums, tile + (own_row * row_pitch + own_column) * chunk, plane, weights,
                                     taps);
    if constexpr (!one_part) {
#pragma unroll
      for (int i = 0; i < phases * fragments; ++i) {
        Sums& to = total[i / fragments][i % fragments];
        for (int e = 0; e < to.num_elements; ++e) to.x[e] += partial[i / fragments][i % fragments].x[e];
      }
    }
  }
  report(seen, &range->too_large, &range->input_counts);
  __syncthreads();  // shared memory is free for the results

  float* const staged = reinterpret_cast<float*>(shared) + warp * phases * phase_pitch;
  const int row = first_row + own_row, first_channel = blockIdx.y % shape.tiles * fragments * 8;
  const int y = row < shape.y.outputs ? output_of(shape.y, row, phase_y) : -1;
  const size_t first_plane =
      (static_cast<size_t>(sample) * shape.groups + group) * shape.out_channels + first_channel;
#pragma unroll
  for (int n = 0; n < fragments; ++n) {
    write_row<phases, fragments>(total, n, staged, output + (first_plane + n * 8) * shape.output_plane(),
                                 shape, y, first_column + own_column,
                                 shape.out_channels - first_channel - n * 8);
  }
}

// ---- Any shape, plainly.

__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* output, Shape shape, const Range* range) {
  if (range != nullptr && !range->is_left()) return;
  const long long out_plane = static_cast<long long>(shape.y.output) * shape.x.output;
  const long long in_plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const int out_channels = shape.groups * shape.out_channels, kernel_plane = shape.y.taps * shape.x.taps;
  const long long count = static_cast<long long>(shape.batch_size) * out_channels * out_plane;
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
    const int x = static_cast<int>(index % shape.x.output) + shape.x.padding;
    const int y = static_cast<int>(index % out_plane / shape.x.output) + shape.y.padding;
    const int out_channel = static_cast<int>(index / out_plane % out_channels);
    const int group = out_channel / shape.out_channels;
    const long long first_channel =
        (index / out_plane / out_channels * shape.groups + group) * shape.in_channels;
    const long long slice = static_cast<long long>(group) * shape.in_channels * shape.out_channels +
                            out_channel % shape.out_channels;
    float sum = 0.0f;
    for (int k = 0; k < shape.y.taps && k * shape.y.dilation <= y; ++k) {
      const int row = (y - k * shape.y.dilation) / shape.y.stride;
      if ((y - k * shape.y.dilation) % shape.y.stride != 0 || row >= shape.y.input) continue;
      for (int l = 0; l < shape.x.taps && l * shape.x.dilation <= x; ++l) {
        const int column = (x - l * shape.x.dilation) / shape.x.stride;
        if ((x - l * shape.x.dilation) % shape.x.stride != 0 || column >= shape.x.input) continue;
        const float* value =
            input + first_channel * in_plane + static_cast<long long>(row) * shape.x.input + column;
        const float* weight = kernel + slice * kernel_plane + k * shape.x.taps + l;
        for (int c = 0; c < shape.in_channels; ++c) {
          sum = fmaf(value[c * in_plane],
                     weight[static_cast<long long>(c) * shape.out_channels * kernel_plane], sum);
        }
      }
    }
    output[index] = sum;
  }
}

// False where the products cannot be done, or the device refuses.
template <int phases, int fragments>
bool launch(const float* input, const float* kernel, float* output, Shape shape) {
  if (shape.y.stride > most_stride) return false;
  shape.tiles = (shape.out_channels + fragments * 8 - 1) / (fragments * 8);
  int taps = 0, rows = 0;  // the most of any phase
  for (int phase = 0; phase < shape.y.stride; ++phase) {
    const Taps own = taps_of(shape.y, phase);
    if (own.count > taps) taps = own.count;
    if (own.count > 0 && tile_rows + (own.count - 1) * own.shift_step > rows) {
      rows = tile_rows + (own.count - 1) * own.shift_step;
    }
  }
  const size_t block_bytes = sizeof(__half) * 2 * fragments * weight_block;
  const size_t operand_bytes =
      sizeof(__half) * 2 * static_cast<size_t>(rows) * row_pitch * chunk + taps * phases * block_bytes;
  const size_t staged_bytes = sizeof(float) * warps * phases * phase_pitch;
  const size_t shared_bytes = operand_bytes > staged_bytes ? operand_bytes : staged_bytes;
  const unsigned out_planes = shape.groups * shape.tiles;
  const size_t samples = static_cast<size_t>(shape.batch_size) * shape.y.stride;
  const size_t weight_blocks = static_cast<size_t>(out_planes) * shape.chunks * shape.y.taps * phases;
  if (shared_bytes > 48 << 10 || out_planes > 65535 || samples > 65535 || weight_blocks >= 1 << 21)
    return false;

  char* scratch = nullptr;
  if (cudaMallocAsync(&scratch, 256 + weight_blocks * block_bytes, nullptr) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  Range* range = reinterpret_cast<Range*>(scratch);
  __half* weights = reinterpret_cast<__half*>(scratch + 256);
  cudaMemsetAsync(range, 0, sizeof(Range), nullptr);
  const auto weight_count = static_cast<unsigned>(weight_blocks * fragments * weight_block);
  pack_weights<phases, fragments>
      <<<(weight_count + threads - 1) / threads, threads>>>(kernel, weights, shape, range);
  const unsigned tiles_x = (shape.x.outputs + tile_columns - 1) / tile_columns;
  const unsigned tiles_y = (shape.y.outputs + tile_rows - 1) / tile_rows;
  const dim3 grid(tiles_x * tiles_y, out_planes, static_cast<unsigned>(samples));
  const auto multiply_parts =
      shape.chunks == 1 ? multiply<phases, fragments, true> : multiply<phases, fragments, false>;
  multiply_parts<<<grid, threads, shared_bytes>>>(input, weights, output, shape, range);
  const bool launched = cudaGetLastError() == cudaSuccess;
  if (launched) plain<<<1024, threads>>>(input, kernel, output, shape, range);
  cudaFreeAsync(scratch, nullptr);
  return launched;
}

inline void solve(const float* input, const float* kernel, float* output, size_t batch_size,
                  size_t in_channels, size_t out_channels, size_t height, size_t width, size_t kernel_h,
                  size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h, size_t padding_w,
                  size_t output_padding_h, size_t output_padding_w, size_t dilation_h, size_t dilation_w,
                  size_t groups) {
  Shape shape = {};
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h, dilation_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w, dilation_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);
  shape.chunks = (shape.in_channels + chunk - 1) / chunk;
  const bool two_columns = dilation_w * (kernel_w - 1) < 2 * stride_w;
  const bool launched = two_columns && ((stride_w == 2 && launch<2, 4>(input, kernel, output, shape)) ||
                                        (stride_w == 3 && launch<3, 2>(input, kernel, output, shape)));
  if (!launched) plain<<<4096, threads>>>(input, kernel, output, shape, nullptr);
}

}  // namespace other_shapes
