// Transposed 3D convolution at fp32 accuracy on tensor cores.
//
// What bounds it: arithmetic. The measured case (27 taps, 48 to 24 channels, 8 x 96 x 96 x 96) is 440
// GFLOP, 8.6 ms on the fp32 pipes at 51 TFLOP/s; its bytes take 0.48 ms.
// What is done about it:
// - Operands are split in two halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and three
//   products, hi * hi + hi * lo + lo * hi, are summed in fp32. That keeps 22 bits of each operand, as three
//   products of TF32 would, at twice their rate. Tensor cores cut off what a sum has no bits for instead of
//   rounding it: so their sums are kept short, and after every row of taps they are added to others by
//   ordinary additions.
// - Inputs are multiplied by 2^8 and weights by 2^12 first, so that `lo` has all its bits. A value too
//   large for that sets a flag on the device, and the plain kernel at the end then computes everything.
// - `pack_input` stores the input pixel by pixel, 16 channels of it side by side, with zeros between rows,
//   planes and samples, as many as the taps reach over. In this one long stream every tap is a constant
//   distance: a block computes 512 consecutive pixels without looking at borders. It copies the pixels that
//   a plane of taps needs, and row by row the weights, while it multiplies those before.
// - Products of 32 x 8 x 16 fit 24 output channels without a rest. With so few of them the operands' way
//   out of shared memory counts: a warp has two operands of 32 pixels, so that it reads weights half as
//   often.
// - A stride splits the output into phases, each a convolution of stride 1 with some of the taps.
//
// Predicted, not measured: 1.32 TFLOP of half products at 40 % of the 600 TFLOP/s that products of a warp
// are said to reach on an H200 (shared memory is nearly as busy), plus 0.7 ms to pack: 6 ms.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

const int halves = 2;  // that an operand is split in
const int chunk = 16;  // channels of a product
const int warps = 8;   // of a block
const int threads = 32 * warps;
const int staged_pitch = 36;  // floats from one channel's 32 results to the next one's: no bank conflicts
const float input_scale = 256.0f, weight_scale = 4096.0f;  // powers of two: exact

// One axis. Output y belongs to phase (y + padding) % stride, and is number (y + padding) / stride - first of
// it. A tap of that phase takes output number q to place q + window - shift of the padded input.
struct Axis {
  int input, output, taps, stride, padding, dilation;
  int first;   // the smallest (y + padding) / stride
  int lead;    // zeros before the input
  int window;  // place that a shift of 0 takes output 0 to
  int pitch;   // length of the padded axis
};

Axis axis_of(size_t input, size_t taps, size_t stride, size_t padding, size_t output_padding,
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
  const int outputs = (axis.output - 1 + axis.padding) / axis.stride - axis.first + 1;
  const int input_end = axis.lead + axis.input;
  const int window_end = outputs + axis.window - axis.lead;
  axis.pitch = input_end > window_end ? input_end : window_end;
  return axis;
}

// The taps of a phase are first, first + step, ... with the shifts shift, shift + shift_step, ...
struct Taps {
  int first, step, count, shift, shift_step;
  __host__ __device__ int furthest() const { return shift + (count - 1) * shift_step; }
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

// The output that is number q of a phase; none where negative.
__device__ int output_of(const Axis& axis, int q, int phase) {
  const int y = (q + axis.first) * axis.stride + phase - axis.padding;
  return y < axis.output ? y : -1;
}

struct Shape {
  Axis z, y, x;
  int batch_size, groups, in_channels, out_channels;  // channels of a group
  int chunks, tiles;                                  // of a group: input channels, output channels
  int block_pixels;
  bool whole_windows;  // a block keeps the pixels of all rows of a plane of taps, not of one
  long long pixels;    // of the padded stream that there are outputs for
  long long stream;    // those and the ones that their windows reach

  __host__ __device__ int taps() const { return z.taps * y.taps * x.taps; }
  __host__ __device__ int phases() const { return z.stride * y.stride * x.stride; }
  __host__ __device__ long long input_plane() const {
    return static_cast<long long>(z.input) * y.input * x.input;
  }
  __host__ __device__ long long output_plane() const {
    return static_cast<long long>(z.output) * y.output * x.output;
  }
  __host__ __device__ int window_pixels(const Taps& rows, const Taps& columns) const {
    const int more_rows = whole_windows && rows.count > 1 ? (rows.count - 1) * rows.shift_step * x.pitch : 0;
    return block_pixels + more_rows + (columns.count > 1 ? (columns.count - 1) * columns.shift_step : 0);
  }
};

// ---- Packing.

__device__ void split(float x, float scale, __half& hi, __half& lo, int* too_large) {
  const float scaled = x * scale;
  if (!(fabsf(scaled) < 65504.0f)) atomicExch(too_large, 1);  // NaN as well
  hi = __float2half_rn(scaled);
  lo = __float2half_rn(scaled - __half2float(hi));
}

// To [group and chunk][half][pixel][channel].
__global__ void __launch_bounds__(threads)
    pack_input(const float* __restrict__ input, __half* __restrict__ packed, Shape shape, int* too_large) {
  const long long pixel = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  if (pixel >= shape.stream) return;
  const int x = static_cast<int>(pixel % shape.x.pitch) - shape.x.lead;
  const long long rows = pixel / shape.x.pitch, levels = rows / shape.y.pitch;
  const int y = static_cast<int>(rows % shape.y.pitch) - shape.y.lead;
  const int z = static_cast<int>(levels % shape.z.pitch) - shape.z.lead;
  const long long sample = levels / shape.z.pitch;
  const bool inside = sample < shape.batch_size && z >= 0 && z < shape.z.input && y >= 0 &&
                      y < shape.y.input && x >= 0 && x < shape.x.input;

  const int group = blockIdx.y / shape.chunks, first = blockIdx.y % shape.chunks * chunk;
  const long long channel = (sample * shape.groups + group) * shape.in_channels + first;
  const long long place = (static_cast<long long>(z) * shape.y.input + y) * shape.x.input + x;
  const float* source = input + channel * shape.input_plane() + place;
  alignas(16) __half values[halves][chunk];
#pragma unroll
  for (int c = 0; c < chunk; ++c) {
    const bool there = inside && first + c < shape.in_channels;
    const float value = there ? __ldg(source + c * shape.input_plane()) : 0.0f;
    split(value, input_scale, values[0][c], values[1][c], too_large);
  }
#pragma unroll
  for (int half = 0; half < halves; ++half) {
    __half* target = packed + ((blockIdx.y * halves + half) * shape.stream + pixel) * chunk;
    reinterpret_cast<uint4*>(target)[0] = reinterpret_cast<const uint4*>(values[half])[0];
    reinterpret_cast<uint4*>(target)[1] = reinterpret_cast<const uint4*>(values[half])[1];
  }
}

// To [group and tile of output channels][chunk][tap][half][fragment][input channel][8 output channels].
template <int fragments>
__global__ void __launch_bounds__(threads)
    pack_weights(const float* __restrict__ kernel, __half* __restrict__ packed, Shape shape, int* too_large) {
  const int taps = shape.taps();
  const int index = blockIdx.x * threads + threadIdx.x;
  const int place = index % (fragments * chunk * 8), block = index / (fragments * chunk * 8);
  if (block >= shape.groups * shape.tiles * shape.chunks * taps) return;
  const int tap = block % taps, first = block / taps % shape.chunks * chunk;
  const int tile = block / taps / shape.chunks % shape.tiles,
            group = block / taps / shape.chunks / shape.tiles;
  const int in_channel = first + place / 8 % chunk;
  const int out_channel = (tile * fragments + place / 8 / chunk) * 8 + place % 8;
  float value = 0.0f;
  if (in_channel < shape.in_channels && out_channel < shape.out_channels) {
    const size_t slice =
        static_cast<size_t>(group * shape.in_channels + in_channel) * shape.out_channels + out_channel;
    value = kernel[slice * taps + tap];
  }
  __half* target = packed + static_cast<size_t>(block) * halves * fragments * chunk * 8 + place;
  split(value, weight_scale, target[0], target[fragments * chunk * 8], too_large);
}

// ---- Multiplying.

using Pixels = wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major>;
using Weights = wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major>;
using Sums = wmma::fragment<wmma::accumulator, 32, 8, 16, float>;

__device__ void copy_to_shared(__half* target, const __half* source, int count) {
  for (int i = threadIdx.x * 8; i < count; i += threads * 8)
    __pipeline_memcpy_async(target + i, source + i, 16);
}

// sums += pixels * weights, for one row of taps. Tap 0 reads the last pixels of the window.
template <int fragments, int strips>
__device__ void multiply_row(Sums (&sums)[strips][fragments], const __half* pixels, int pixels_of_half,
                             const __half* weights, const Taps& taps) {
  for (int tap = 0; tap < taps.count; ++tap) {
    const __half* own = pixels + (taps.count - 1 - tap) * taps.shift_step * chunk;
    Pixels hi[strips], lo[strips];
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) {
      wmma::load_matrix_sync(hi[strip], own + strip * 32 * chunk, chunk);
      wmma::load_matrix_sync(lo[strip], own + (pixels_of_half + strip * 32) * chunk, chunk);
    }
#pragma unroll
    for (int n = 0; n < fragments; ++n) {
      const __half* weight = weights + (tap * halves * fragments + n) * chunk * 8;
      Weights weights_hi, weights_lo;
      wmma::load_matrix_sync(weights_hi, weight, 8);
      wmma::load_matrix_sync(weights_lo, weight + fragments * chunk * 8, 8);
#pragma unroll
      for (int strip = 0; strip < strips; ++strip) {
        wmma::mma_sync(sums[strip][n], lo[strip], weights_hi, sums[strip][n]);
        wmma::mma_sync(sums[strip][n], hi[strip], weights_lo, sums[strip][n]);
        wmma::mma_sync(sums[strip][n], hi[strip], weights_hi, sums[strip][n]);
      }
    }
  }
}

// 32 pixels of a warp to the output: through shared memory, so that a store's lanes write neighbours.
template <int fragments>
__device__ void write_output(const Sums (&sums)[fragments], float* staged, float* output, const Shape& shape,
                             long long pixel, int phase, int first_channel, int channels) {
  for (int n = 0; n < fragments; ++n) {
    wmma::store_matrix_sync(staged + n * 8 * staged_pitch, sums[n], staged_pitch, wmma::mem_col_major);
  }
  __syncwarp();
  const int lane = threadIdx.x % 32;
  pixel += lane;
  const long long rows = pixel / shape.x.pitch, levels = rows / shape.y.pitch;
  const int x = output_of(shape.x, static_cast<int>(pixel % shape.x.pitch), phase % shape.x.stride);
  const int y =
      output_of(shape.y, static_cast<int>(rows % shape.y.pitch), phase / shape.x.stride % shape.y.stride);
  const int z =
      output_of(shape.z, static_cast<int>(levels % shape.z.pitch), phase / shape.x.stride / shape.y.stride);
  if (pixel < shape.pixels && x >= 0 && y >= 0 && z >= 0) {
    const long long channel = levels / shape.z.pitch * shape.groups * shape.out_channels + first_channel;
    const long long place = (static_cast<long long>(z) * shape.y.output + y) * shape.x.output + x;
    float* target = output + channel * shape.output_plane() + place;
    for (int c = 0; c < channels; ++c) {
      __stcs(target + c * shape.output_plane(),
             staged[c * staged_pitch + lane] * (1.0f / (input_scale * weight_scale)));
    }
  }
  __syncwarp();  // the next 32 pixels take the same place
}

// What a block multiplies, stage by stage: a row of taps. Stages count rows, then planes of taps, then chunks
// of channels; row 0 lies furthest back in the window. Shared memory has two stages at a time.
template <int fragments>
struct Stages {
  static constexpr int tap_halves = halves * fragments * chunk * 8;
  const Shape& shape;
  const __half *packed_input, *packed_weights;
  __half *pixels, *weights;  // in shared memory
  int most_pixels, most_taps;
  long long first_pixel;
  Taps levels, rows, columns;

  __device__ int count() const { return columns.count > 0 ? levels.count * rows.count * shape.chunks : 0; }
  __device__ __half* pixels_of(int stage) const {
    return pixels + (shape.whole_windows ? stage / rows.count : stage) % 2 * halves * most_pixels * chunk;
  }
  __device__ __half* weights_of(int stage) const { return weights + stage % 2 * most_taps * tap_halves; }
  // Where in the window the pixels of the row's last tap begin.
  __device__ int begin_of(int stage) const {
    return shape.whole_windows ? (rows.count - 1 - stage % rows.count) * rows.shift_step * shape.x.pitch : 0;
  }
  __device__ void fetch(int stage) const {
    const int row = stage % rows.count, level = stage / rows.count % levels.count;
    const int part = stage / rows.count / levels.count;
    if (row == 0 || !shape.whole_windows) {
      const int group = blockIdx.y / shape.tiles;
      const int z = shape.z.window - levels.shift - level * levels.shift_step;
      const int y =
          shape.y.window - (shape.whole_windows ? rows.furthest() : rows.shift + row * rows.shift_step);
      const long long source = first_pixel + (static_cast<long long>(z) * shape.y.pitch + y) * shape.x.pitch +
                               shape.x.window - columns.furthest();
      for (int half = 0; half < halves; ++half) {
        const long long plane = (group * shape.chunks + part) * halves + half;
        copy_to_shared(pixels_of(stage) + half * most_pixels * chunk,
                       packed_input + (plane * shape.stream + source) * chunk,
                       shape.window_pixels(rows, columns) * chunk);
      }
    }
    const int first_tap =
        ((levels.first + level * levels.step) * shape.y.taps + rows.first + row * rows.step) * shape.x.taps +
        columns.first;
    const size_t source = static_cast<size_t>(blockIdx.y * shape.chunks + part) * shape.taps() + first_tap;
    for (int column = 0; column < columns.count; ++column) {
      copy_to_shared(weights_of(stage) + column * tap_halves,
                     packed_weights + (source + column * columns.step) * tap_halves, tap_halves);
    }
  }
};

// Block: x counts pixels, y groups and tiles of output channels, z phases. A warp has `strips` times 32
// pixels.
template <int fragments, int strips>
__global__ void __launch_bounds__(threads, 2)
    multiply(const __half* __restrict__ packed_input, const __half* __restrict__ packed_weights,
             float* __restrict__ output, Shape shape, int most_pixels, int most_taps, const int* too_large) {
  extern __shared__ uint4 shared[];
  if (*too_large != 0) return;
  __half* const pixel_stages = reinterpret_cast<__half*>(shared);
  __half* const weight_stages = pixel_stages + 2 * halves * most_pixels * chunk;
  const int phase = blockIdx.z;
  const Taps levels = taps_of(shape.z, phase / shape.x.stride / shape.y.stride);
  const Taps rows = taps_of(shape.y, phase / shape.x.stride % shape.y.stride);
  const Taps columns = taps_of(shape.x, phase % shape.x.stride);
  const long long first_pixel = static_cast<long long>(blockIdx.x) * shape.block_pixels;
  const Stages<fragments> stages = {shape,         packed_input, packed_weights, pixel_stages,
                                    weight_stages, most_pixels,  most_taps,      first_pixel,
                                    levels,        rows,         columns};

  Sums total[strips][fragments], sums[strips][fragments];
  for (auto& strip : total) {
    for (auto& fragment : strip) wmma::fill_fragment(fragment, 0.0f);
  }
  const int warp = threadIdx.x / 32;
  if (stages.count() > 0) stages.fetch(0);
  __pipeline_commit();
  for (int stage = 0; stage < stages.count(); ++stage) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this stage is there, and nobody reads the one that the next copies go to
    if (stage + 1 < stages.count()) stages.fetch(stage + 1);
    __pipeline_commit();

    for (auto& strip : sums) {
      for (auto& fragment : strip) wmma::fill_fragment(fragment, 0.0f);
    }
    multiply_row<fragments, strips>(
        sums, stages.pixels_of(stage) + (stages.begin_of(stage) + warp * strips * 32) * chunk, most_pixels,
        stages.weights_of(stage), columns);
#pragma unroll
    for (int i = 0; i < strips * fragments; ++i) {
      Sums& to = total[i / fragments][i % fragments];
      for (int e = 0; e < to.num_elements; ++e) to.x[e] += sums[i / fragments][i % fragments].x[e];
    }
  }
  __syncthreads();  // shared memory is free for the results

  const int first_channel = blockIdx.y % shape.tiles * fragments * 8;
  const int left = shape.out_channels - first_channel;
#pragma unroll
  for (int strip = 0; strip < strips; ++strip) {
    write_output<fragments>(total[strip],
                            reinterpret_cast<float*>(shared) + warp * fragments * 8 * staged_pitch, output,
                            shape, first_pixel + (warp * strips + strip) * 32, phase,
                            blockIdx.y / shape.tiles * shape.out_channels + first_channel,
                            left < fragments * 8 ? left : fragments * 8);
  }
}

// ---- What the above cannot do: values too large (then the flag is set), more memory than there is.

// The input position that a tap takes an output to, or -1.
__device__ int source_of(const Axis& axis, int output, int tap) {
  const int distance = output + axis.padding - tap * axis.dilation;
  return distance >= 0 && distance % axis.stride == 0 && distance / axis.stride < axis.input
             ? distance / axis.stride
             : -1;
}

__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* output, Shape shape, const int* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const int out_channels = shape.groups * shape.out_channels;
  const long long count = shape.batch_size * out_channels * shape.output_plane();
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
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

// The most that any phase of an axis has.
Taps most_taps(const Axis& axis) {
  Taps most = {};
  for (int phase = 0; phase < axis.stride; ++phase) {
    const Taps taps = taps_of(axis, phase);
    if (taps.count > most.count) most = taps;
  }
  return most;
}

// False, and nothing launched, where memory does not suffice.
template <int fragments, int strips>
bool launch(const float* input, const float* kernel, float* output, Shape shape) {
  shape.tiles = (shape.out_channels + fragments * 8 - 1) / (fragments * 8);
  shape.block_pixels = strips * threads;
  const Taps rows = most_taps(shape.y), columns = most_taps(shape.x);
  shape.whole_windows = (rows.count - 1) * rows.shift_step * shape.x.pitch <= shape.block_pixels;
  // A block may be the last, and the windows behind its pixels end in the last planes of the stream.
  shape.stream = shape.pixels + shape.block_pixels + shape.x.window +
                 (static_cast<long long>(shape.z.window) * shape.y.pitch + shape.y.window) * shape.x.pitch;
  const int window_pixels = shape.window_pixels(rows, columns);
  const size_t tap_bytes = sizeof(__half) * halves * fragments * chunk * 8;
  const size_t stage_bytes = sizeof(__half) * halves * window_pixels * chunk + columns.count * tap_bytes;
  const size_t staged_bytes = sizeof(float) * warps * fragments * 8 * staged_pitch;
  const size_t shared_bytes = 2 * stage_bytes > staged_bytes ? 2 * stage_bytes : staged_bytes;
  const unsigned in_planes = shape.groups * shape.chunks, out_planes = shape.groups * shape.tiles;
  if (shared_bytes > 160 << 10 || in_planes > 65535 || out_planes > 65535 || shape.phases() > 65535)
    return false;
  if (cudaFuncSetAttribute(multiply<fragments, strips>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes)) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }

  const size_t weight_blocks = static_cast<size_t>(out_planes) * shape.chunks * shape.taps();
  const size_t weight_bytes = weight_blocks * tap_bytes;
  const size_t input_bytes = sizeof(__half) * halves * in_planes * shape.stream * chunk;
  char* scratch = nullptr;
  if (cudaMallocAsync(&scratch, 256 + weight_bytes + input_bytes, nullptr) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  int* too_large = reinterpret_cast<int*>(scratch);
  __half* weights = reinterpret_cast<__half*>(scratch + 256);
  __half* stream = reinterpret_cast<__half*>(scratch + 256 + weight_bytes);

  cudaMemsetAsync(too_large, 0, sizeof(int), nullptr);
  const auto blocks = [](size_t count, int size) { return static_cast<unsigned>((count + size - 1) / size); };
  pack_weights<fragments><<<blocks(weight_blocks * fragments * chunk * 8, threads), threads>>>(
      kernel, weights, shape, too_large);
  pack_input<<<dim3(blocks(shape.stream, threads), in_planes), threads>>>(input, stream, shape, too_large);
  const dim3 grid(blocks(shape.pixels, shape.block_pixels), out_planes,
                  static_cast<unsigned>(shape.phases()));
  multiply<fragments, strips><<<grid, threads, shared_bytes>>>(stream, weights, output, shape, window_pixels,
                                                               columns.count, too_large);
  plain<<<1024, threads>>>(input, kernel, output, shape, too_large);
  cudaFreeAsync(scratch, nullptr);
  return true;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t depth, size_t height, size_t width,
                         size_t kernel_d, size_t kernel_h, size_t kernel_w, size_t stride_d, size_t stride_h,
                         size_t stride_w, size_t padding_d, size_t padding_h, size_t padding_w,
                         size_t output_padding_d, size_t output_padding_h, size_t output_padding_w,
                         size_t dilation_d, size_t dilation_h, size_t dilation_w, size_t groups) {
  Shape shape = {};
  shape.z = axis_of(depth, kernel_d, stride_d, padding_d, output_padding_d, dilation_d);
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h, dilation_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w, dilation_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);
  shape.chunks = (shape.in_channels + chunk - 1) / chunk;
  shape.pixels = static_cast<long long>(batch_size) * shape.z.pitch * shape.y.pitch * shape.x.pitch;
  const bool launched = shape.out_channels > 24 ? launch<8, 1>(input, kernel, output, shape)
                                                : launch<3, 2>(input, kernel, output, shape);
  if (!launched) plain<<<4096, threads>>>(input, kernel, output, shape, nullptr);
}
