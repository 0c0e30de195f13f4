// A transposed convolution whose windows do not overlap (as many taps as the stride has steps) is one product
// of matrices: an input pixel's channels by the weights of all phases. A block has the halves of its pixels
// in shared memory and multiplies them by the weights of one phase after the other, which it copies ahead.
#pragma once

#include <cuda_pipeline.h>

#include "split.cuh"

namespace upsample {

const int threads = 256;
const int pixels = 128;      // of a block
const int channels = 64;     // output channels of a block
const int stage_chunks = 4;  // of 16 input channels, whose weights a stage of shared memory has
const int stages = 3;
const int most_bytes = 112 << 10;  // of a block, so that a multiprocessor has two of them

// Of an axis: the input that an output y comes from is (y + padding) / stride - shift, whatever its phase.
struct Task {
  Shape shape;
  int shift_z, shift_y, shift_x;
  int chunks;         // of a group's input channels, all multiples of stage_chunks
  int tiles;          // of a sample's pixels
  int channel_tiles;  // of a group
  long long in_plane, out_plane;

  __host__ __device__ int stages_of_phase() const { return chunks / stage_chunks; }
};

// Whether every output of an axis has just one tap and input; then `shift` is that of all taps.
inline bool covers(const Axis& axis, int* shift) {
  *shift = taps_of(axis, 0).shift;
  for (int phase = 0; phase < axis.stride; ++phase) {
    const Taps taps = taps_of(axis, phase);
    if (taps.count != 1 || taps.shift != *shift) return false;
  }
  return axis.padding / axis.stride >= *shift &&
         (axis.output - 1 + axis.padding) / axis.stride - *shift < axis.input;
}

// To [group and channel tile][phase][chunk][8 input channels][lo, hi][output channel][8].
template <int halves>
__global__ void __launch_bounds__(threads)
    pack_weights(const float* __restrict__ kernel, uint4* __restrict__ packed,
                 const __grid_constant__ Task task, Range* range) {
  const Shape& shape = task.shape;
  const long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  const int n = static_cast<int>(index % channels);
  const int eight = static_cast<int>(index / channels % (task.chunks * 2));
  const int phase = static_cast<int>(index / channels / (task.chunks * 2) % shape.phases());
  const int tile = static_cast<int>(index / channels / (task.chunks * 2) / shape.phases());
  if (tile >= shape.groups * task.channel_tiles) return;  // all threads of a warp
  const int z = taps_of(shape.z, phase / shape.x.stride / shape.y.stride).first;
  const int y = taps_of(shape.y, phase / shape.x.stride % shape.y.stride).first;
  const int x = taps_of(shape.x, phase % shape.x.stride).first;
  const int out_channel = tile % task.channel_tiles * channels + n;
  float values[8];
  for (int c = 0; c < 8; ++c) {
    const int in_channel = eight * 8 + c;
    const bool there = in_channel < shape.in_channels && out_channel < shape.out_channels;
    const long long slice =
        static_cast<long long>(tile / task.channel_tiles * shape.in_channels + in_channel) *
            shape.out_channels +
        out_channel;
    const int tap = (z * shape.y.taps + y) * shape.x.taps + x;
    values[c] = there ? __ldg(kernel + slice * shape.taps() + tap) : 0.0f;
  }
  uint4* const lo = packed + index / channels * halves * channels + n;
  Seen seen;
  split<halves>(values, weight_scale, lo + (halves - 1) * channels, lo, seen);
  report(seen, &range->too_large, &range->weights_count);
}

// All channels of the block's pixels, to [half][8 channels][pixel][8].
template <int halves>
__device__ Seen load_pixels(const float* __restrict__ input, uint4* shared, const Task& task) {
  const Shape& shape = task.shape;
  const int sample = blockIdx.x / task.tiles, group = blockIdx.y / task.channel_tiles;
  const int pixel = threadIdx.x % pixels;
  const long long place = static_cast<long long>(blockIdx.x % task.tiles) * pixels + pixel;
  const float* const source =
      input + static_cast<long long>(sample * shape.groups + group) * shape.in_channels * task.in_plane +
      place;
  Seen seen;
#pragma unroll 4
  for (int eight = threadIdx.x / pixels; eight < task.chunks * 2; eight += threads / pixels) {
    float values[8];
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const bool there = eight * 8 + c < shape.in_channels && place < task.in_plane;
      values[c] = there ? __ldg(source + (eight * 8 + c) * task.in_plane) : 0.0f;
    }
    uint4* const hi = shared + eight * pixels + pixel;
    split<halves>(values, input_scale, hi, hi + task.chunks * 2 * pixels, seen);
  }
  return seen;
}

// A warpgroup's 64 pixels of one phase.
template <int halves>
struct Sums {
  float sums[halves * channels / 2];  // [lo, hi][...]

  __device__ void clear() {
#pragma unroll
    for (float& sum : sums) sum = 0.0f;
  }
  // The weights of a stage, by those channels of the pixels.
  __device__ void multiply(const uint4* own_pixels, int to_lo, const uint4* weights) {
    Operand pixel(own_pixels, pixels), weight(weights, halves * channels);
    int left = stage_chunks;
    begin_products();
#pragma unroll 1
    do {
      add_product<halves * channels>(sums, pixel.at(0), weight.at(0));
      if (halves == 2) {
        add_product<channels>(reinterpret_cast<float(&)[channels / 2]>(sums), pixel.at(to_lo),
                              weight.at(channels));
      }
      pixel.move(2 * pixels);
      weight.move(2 * halves * channels);
    } while (--left > 0);
    commit_products();
    wait_for_products<0>();
    use_sums(sums);
  }
  __device__ void write(float* output, const Task& task, int phase) const {
    const Shape& shape = task.shape;
    const int sample = blockIdx.x / task.tiles, group = blockIdx.y / task.channel_tiles;
    const int first_channel = blockIdx.y % task.channel_tiles * channels + threadIdx.x % 4 * 2;
    const long long channel =
        static_cast<long long>(sample * shape.groups + group) * shape.out_channels + first_channel;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const long long place = static_cast<long long>(blockIdx.x % task.tiles) * pixels +
                              threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + r * 8;
      const int row = static_cast<int>(place / shape.x.input);
      const int x = (static_cast<int>(place % shape.x.input) + task.shift_x) * shape.x.stride +
                    phase % shape.x.stride - shape.x.padding;
      const int y = (row % shape.y.input + task.shift_y) * shape.y.stride +
                    phase / shape.x.stride % shape.y.stride - shape.y.padding;
      const int z = (row / shape.y.input + task.shift_z) * shape.z.stride +
                    phase / shape.x.stride / shape.y.stride - shape.z.padding;
      if (x < 0 || x >= shape.x.output || y < 0 || y >= shape.y.output || z < 0 || z >= shape.z.output)
        continue;
      float* own = output + channel * task.out_plane +
                   (static_cast<long long>(z) * shape.y.output + y) * shape.x.output + x;
#pragma unroll
      for (int i = 0; i < channels / 4; ++i) {
        const int at = i / 2 * 4 + r * 2 + i % 2;  // channel i / 2 * 8 + i % 2
        float sum = sums[at];
        if (halves == 2) sum += sums[at + channels / 2];
        if (first_channel + i / 2 * 8 + i % 2 < shape.out_channels)
          *own = sum * (1 / (input_scale * weight_scale));
        own += (i % 2 == 0 ? 1 : 7) * task.out_plane;
      }
    }
  }
};

// Block: x counts samples and tiles of pixels, y groups and tiles of output channels.
template <int halves>
__global__ void __launch_bounds__(threads, 2)
    multiply(const float* __restrict__ input, const uint4* __restrict__ packed_weights,
             float* __restrict__ output, const __grid_constant__ Task task, Range* range) {
  extern __shared__ uint4 shared[];
  const int stage_size = stage_chunks * 2 * halves * channels;
  const int count = task.shape.phases() * task.stages_of_phase(), to_lo = task.chunks * 2 * pixels;
  uint4* const own_pixels = shared + stages * stage_size;
  const uint4* const source = packed_weights + static_cast<long long>(blockIdx.y) * count * stage_size;
  const auto fetch = [&](int stage) {
    for (int i = threadIdx.x; stage < count && i < stage_size; i += threads) {
      __pipeline_memcpy_async(shared + stage % stages * stage_size + i, source + stage * stage_size + i, 16);
    }
    __pipeline_commit();
  };
  for (int stage = 0; stage + 1 < stages; ++stage) fetch(stage);
  report(load_pixels<halves>(input, own_pixels, task), &range->too_large, &range->input_counts);

  Sums<halves> sums;
  int stage = 0;
  for (int phase = 0; phase < task.shape.phases(); ++phase) {
    sums.clear();
    for (int part = 0; part < task.stages_of_phase(); ++part, ++stage) {
      __pipeline_wait_prior(stages - 2);
      fence_for_products();
      __syncthreads();  // this stage is there, and nobody reads the one that is written next
      fetch(stage + stages - 1);
      sums.multiply(own_pixels + part * stage_chunks * 2 * pixels + threadIdx.x / 128 * 64, to_lo,
                    shared + stage % stages * stage_size);
    }
    sums.write(output, task, phase);
  }
}

// False where another shape is asked for, or the device refuses.
template <int halves>
bool launch(const float* input, const float* kernel, float* output, const Shape& shape, Range* range) {
  Task task = {};
  task.shape = shape;
  if (!covers(shape.z, &task.shift_z) || !covers(shape.y, &task.shift_y) || !covers(shape.x, &task.shift_x)) {
    return false;
  }
  task.in_plane = shape.input_plane();
  task.out_plane = shape.output_plane();
  task.chunks = (shape.in_channels + chunk * stage_chunks - 1) / (chunk * stage_chunks) * stage_chunks;
  task.tiles = static_cast<int>((task.in_plane + pixels - 1) / pixels);
  task.channel_tiles = (shape.out_channels + channels - 1) / channels;
  const int out_tiles = shape.groups * task.channel_tiles;
  const size_t bytes = 2 * halves * sizeof(uint4) * (stages * stage_chunks * channels + task.chunks * pixels);
  const size_t eights = static_cast<size_t>(out_tiles) * shape.phases() * task.chunks * 2;
  uint4* weights = nullptr;
  if (bytes > most_bytes || out_tiles > 65535 ||
      cudaFuncSetAttribute(multiply<halves>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)) != cudaSuccess ||
      cudaMallocAsync(&weights, eights * halves * channels * sizeof(uint4), nullptr) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  pack_weights<halves><<<static_cast<unsigned>((eights * channels + threads - 1) / threads), threads>>>(
      kernel, weights, task, range);
  multiply<halves><<<dim3(shape.batch_size * task.tiles, out_tiles), threads, bytes>>>(input, weights, output,
                                                                                       task, range);
  const bool launched = cudaGetLastError() == cudaSuccess;
  cudaFreeAsync(weights, nullptr);
  return launched;
}

}  // namespace upsample
