// Units by products of tf32: x = hi + lo, hi the part of x that tf32 keeps, and hi * hi, hi * lo and lo * hi
// are summed in fp32. The input lies in shared memory as it is; each lane splits what it takes.
//
// The two small products can do with 8 bits of either factor: lo is at most 2^-10 of x, and what bfloat16
// cuts off is 2^-9 of that at most. As bfloat16 they are one product of twice the depth.
#pragma once

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include "rows.cuh"
#include "warp_products.cuh"

namespace rows {

constexpr int warps = 8, threads = 32 * warps;
constexpr int tiles_at_once = 2;  // of 8 columns, that a warp computes side by side
constexpr int slots = 9;          // rows of the input in shared memory: 3 in use, others on their way
constexpr int input_lead = 4;     // words before column 0: the column to its left, at the end of 16 bytes
constexpr int input_pitch = most_columns + 8;  // from channel to channel: lanes of an operand meet in no bank
constexpr int weight_pitch = tile_channels * most_taps_y * most_taps_x + 8;  // here as well
constexpr int slot_words = chunk * input_pitch;
constexpr size_t shared_bytes =
    sizeof(float) * (static_cast<size_t>(buffers) * buffer_words + slots * slot_words);

// Operands A, the same for all units of a block: [row of taps][tap][...][register], row m is channel
// channel_of(m) and k the input channel. Number 1 is lo beside x, for k = 0 to 15.
struct Weights {
  unsigned values[most_taps_y][most_taps_x][2][4];
};

// The weights of a tile to shared memory, [input channel][output channel][tap].
__device__ inline void stage_weights(float* staged, const float* kernel, const Shape& shape, int group,
                                     int tile) {
  const int taps = shape.kernel_h * shape.kernel_w, left = shape.out_channels - tile * tile_channels;
  const int words = (left < tile_channels ? left : tile_channels) * taps;
  for (int c = threadIdx.x / 32; c < shape.in_channels; c += threads / 32) {
    const long long channel = group * shape.in_channels + c;
    const float* source = kernel + (channel * shape.out_channels + tile * tile_channels) * taps;
    for (int i = threadIdx.x % 32; i < words; i += 32) staged[c * weight_pitch + i] = __ldg(source + i);
  }
}

__device__ inline void load_weights(Weights& weights, const float* staged, const Shape& shape, int group,
                                    int tile) {
  const int lane = threadIdx.x % 32, taps = shape.kernel_h * shape.kernel_w;
#pragma unroll
  for (int k = 0; k < most_taps_y; ++k) {
#pragma unroll
    for (int l = 0; l < most_taps_x; ++l) {
      float hi[4], lo[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int in_channel = lane % 4 + i / 2 * 4, m = channel_of(lane / 4 + i % 2 * 8);
        const bool is_tap = in_channel < shape.in_channels && k < shape.kernel_h && l < shape.kernel_w &&
                            tile * tile_channels + m < shape.out_channels;
        const float value =
            is_tap ? staged[in_channel * weight_pitch + m * taps + k * shape.kernel_w + l] : 0.0f;
        hi[i] = tf32_part(value);
        lo[i] = value - hi[i];
        weights.values[k][l][0][i] = bits_of(hi[i]);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {  // a register has two input channels, four apart, as in Columns
        weights.values[k][l][1][i] = bfloat_pair(lo[i], lo[i + 2]);
        weights.values[k][l][1][i + 2] = bfloat_pair(hi[i], hi[i + 2]);
      }
    }
  }
}

// One row of a group's channels to its slot; zeros outside of the input.
__device__ inline void load_row(const float* image, float* slot, const Shape& shape, int row) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int channel = warp; channel < chunk; channel += warps) {
    const bool inside = row >= 0 && row < shape.height && channel < shape.in_channels;
    const float* source = inside ? image + channel * shape.in_plane() + row * shape.width : image;
    float* target = slot + channel * input_pitch + input_lead;
    if (shape.vectors) {
      for (int i = 4 * lane; i < shape.width; i += 4 * 32) {
        __pipeline_memcpy_async(target + i, source + i, 16, inside ? 0 : 16);
      }
    } else {
      for (int i = lane; i < shape.width; i += 32) {
        __pipeline_memcpy_async(target + i, source + i, 4, inside ? 0 : 4);
      }
    }
  }
}

// Zeros at the columns beside the input.
__device__ inline void clear_margins(float* ring, const Shape& shape) {
  for (int i = threadIdx.x / 32; i < slots * chunk; i += threads / 32) {
    for (int j = threadIdx.x % 32; j < input_pitch - shape.width; j += 32) {
      ring[i * input_pitch + (j < input_lead ? j : j + shape.width)] = 0.0f;
    }
  }
}

// Operands B of neighbouring tiles of 8 columns, split; `lo` are x and lo.
struct Columns {
  unsigned hi[tiles_at_once][2], lo[tiles_at_once][2];

  // `first` is this lane's column and channel of the first tile.
  __device__ void load(const float* first) {
#pragma unroll
    for (int i = 0; i < tiles_at_once; ++i) {
      const float x[2] = {first[i * 8], first[i * 8 + 4 * input_pitch]};
      const float large[2] = {tf32_part(x[0]), tf32_part(x[1])};
      const float small[2] = {x[0] - large[0], x[1] - large[1]};
      hi[i][0] = bits_of(large[0]);
      hi[i][1] = bits_of(large[1]);
      lo[i][0] = bfloat_pair(x[0], x[1]);
      lo[i][1] = bfloat_pair(small[0], small[1]);
    }
  }
};

using Sums = float[tiles_at_once][stride_x][4];

// One row of taps. The small products come first; neighbouring products belong to different sums.
__device__ inline void add_row(Sums& sums, const float* input, const unsigned (&weights)[most_taps_x][2][4]) {
  Columns columns[2];  // own, left
  columns[0].load(input);
  columns[1].load(input - 1);
#pragma unroll
  for (const bool is_small : {true, false}) {
#pragma unroll
    for (int l = 0; l < most_taps_x; ++l) {
#pragma unroll
      for (int i = 0; i < tiles_at_once; ++i) {
        const Columns& taken = columns[l / stride_x];
        float(&sum)[4] = sums[i][l % stride_x];
        if (is_small) {
          multiply_bfloats(sum, weights[l][1], taken.lo[i][0], taken.lo[i][1]);
        } else {
          multiply_tf32(sum, weights[l][0], taken.hi[i][0], taken.hi[i][1]);
        }
      }
    }
  }
}

// The unit of three rows of the input, tap by tap, to `staged`, which begins at this lane's row and the place
// of word 0.
template <bool pairs>
__device__ inline void compute_unit(float* staged, const float* const (&slots_of_taps)[most_taps_y],
                                    const Weights& weights, const Shape& shape) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int own = lane % 4 * input_pitch + input_lead + lane / 4;
  const int step = tiles_at_once * 8;
#pragma unroll 1
  for (int column = warp * step; column < shape.columns; column += warps * step) {
    Sums sums = {};
#pragma unroll
    for (int k = 0; k < most_taps_y; ++k) add_row(sums, slots_of_taps[k] + own + column, weights.values[k]);
#pragma unroll
    for (int i = 0; i < 2 * tiles_at_once; ++i) {
      const int tile = i / 2, row = i % 2;  // rows m and m + 8
      const auto& own_sums = sums[tile];
      const int word = (column + tile * 8 + lane % 4 * 2) * stride_x - shape.lead;
      const float values[6] = {own_sums[0][row * 2],     own_sums[1][row * 2],     own_sums[2][row * 2],
                               own_sums[0][row * 2 + 1], own_sums[1][row * 2 + 1], own_sums[2][row * 2 + 1]};
      stage<pairs>(staged + row * 8 * staged_pitch, word, values, shape.out_width);
    }
  }
}

}  // namespace rows
