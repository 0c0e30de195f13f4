// Transposed 2D convolution at fp32 accuracy on tensor cores.
//
// What bounds it: arithmetic. The measured case (3 x 7 taps, 64 to 64 channels, 8 x 512 x 512) is 361
// GFLOP, 7.1 ms on the fp32 pipes at 51 TFLOP/s; its bytes take 0.25 ms.
// What is done about it:
// - Operands are split in two halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and three
//   products, hi * hi + hi * lo + lo * hi, are summed in fp32. That keeps 22 bits of each operand, as three
//   products of TF32 would, at twice their rate. Tensor cores cut off what a sum has no bits for instead of
//   rounding it: so their sums are kept short, and after every row of taps they are added to others by
//   ordinary additions.
// - Inputs are multiplied by 2^8 and weights by 2^12 first, so that `lo` has all its bits. A value too
//   large for that sets a flag on the device, and the plain kernel at the end then computes everything.
// - `pack_input` stores the input pixel by pixel, 16 channels of it side by side, with zeros between rows
//   and images, as many as the taps reach over. In this one long stream every tap is a constant distance: a
//   block computes 256 consecutive pixels without looking at borders, and copies the pixels and the weights
//   that the next row of taps needs while it multiplies those of this one.
// - A stride splits the output into phases, each a convolution of stride 1 with some of the taps.
//
// Predicted, not measured: 1.08 TFLOP of half products at half the 600 TFLOP/s that products of a warp are
// said to reach on an H200, plus 0.3 ms to pack: 3.9 ms.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

const int halves = 2;  // that an operand is split in
const int chunk = 16;  // channels of a product
const int warps = 8;   // of a block, each with the 32 pixels of a fragment
const int threads = 32 * warps;
const int block_pixels = 32 * warps;
const int staged_pitch = 36;  // floats from one channel's 32 results to the next one's: no bank conflicts
const float input_scale = 256.0f, weight_scale = 4096.0f;  // powers of two: exact

// One axis. Output y belongs to phase (y + padding) % stride, and is number (y + padding) / stride - first of
// it. Tap k of that phase takes output number q to place q + window - k / stride of the padded input.
struct Axis {
  int input, output, taps, stride, padding;
  int first;   // the smallest (y + padding) / stride
  int lead;    // zeros before the input
  int window;  // place that tap 0 takes output 0 to
  int pitch;   // length of the padded axis
};

Axis axis_of(size_t input, size_t taps, size_t stride, size_t padding, size_t output_padding) {
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
__host__ __device__ int taps_in(const Axis& axis, int phase) {
  return phase < axis.taps ? (axis.taps - phase - 1) / axis.stride + 1 : 0;
}

// The output that is number q of a phase, or -1 if there is none.
__device__ int output_of(const Axis& axis, int q, int phase) {
  const int y = (q + axis.first) * axis.stride + phase - axis.padding;
  return y < axis.output ? y : -1;
}

struct Shape {
  Axis y, x;
  int batch_size, groups, in_channels, out_channels;  // channels of a group
  int chunks, tiles;                                  // of a group: input channels, output channels
  bool whole_windows;  // a block keeps the pixels of all rows of taps, not of one
  long long pixels;    // of the padded stream that there are outputs for
  long long stream;    // those and the ones that their windows reach

  __host__ __device__ int window_pixels(int rows, int columns) const {
    const int more_rows = whole_windows && rows > 1 ? (rows - 1) * x.pitch : 0;
    return block_pixels + more_rows + (columns > 1 ? columns - 1 : 0);
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
  const int column = static_cast<int>(pixel % shape.x.pitch) - shape.x.lead;
  const long long rows = pixel / shape.x.pitch;
  const int row = static_cast<int>(rows % shape.y.pitch) - shape.y.lead;
  const long long sample = rows / shape.y.pitch;
  const bool inside =
      sample < shape.batch_size && row >= 0 && row < shape.y.input && column >= 0 && column < shape.x.input;

  const int group = blockIdx.y / shape.chunks, first = blockIdx.y % shape.chunks * chunk;
  const long long channel = (sample * shape.groups + group) * shape.in_channels + first;
  const long long plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const float* source = input + channel * plane + static_cast<long long>(row) * shape.x.input + column;
  alignas(16) __half values[halves][chunk];
#pragma unroll
  for (int c = 0; c < chunk; ++c) {
    const float value = inside && first + c < shape.in_channels ? __ldg(source + c * plane) : 0.0f;
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
  const int taps = shape.y.taps * shape.x.taps;
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
template <int fragments>
__device__ void multiply_row(Sums* sums, const __half* pixels, int pixels_of_half, const __half* weights,
                             int taps) {
  for (int tap = 0; tap < taps; ++tap) {
    const __half* own = pixels + (taps - 1 - tap) * chunk;
    Pixels hi, lo;
    wmma::load_matrix_sync(hi, own, chunk);
    wmma::load_matrix_sync(lo, own + pixels_of_half * chunk, chunk);
#pragma unroll
    for (int n = 0; n < fragments; ++n) {
      const __half* weight = weights + ((tap * halves) * fragments + n) * chunk * 8;
      Weights weights_hi, weights_lo;
      wmma::load_matrix_sync(weights_hi, weight, 8);
      wmma::load_matrix_sync(weights_lo, weight + fragments * chunk * 8, 8);
      wmma::mma_sync(sums[n], lo, weights_hi, sums[n]);
      wmma::mma_sync(sums[n], hi, weights_lo, sums[n]);
      wmma::mma_sync(sums[n], hi, weights_hi, sums[n]);
    }
  }
}

// A warp's 32 pixels to the output: through shared memory, so that a store's lanes write neighbours.
template <int fragments>
__device__ void write_output(const Sums* sums, float* staged, float* output, const Shape& shape,
                             long long pixel, int phase_y, int phase_x, int first_channel, int channels) {
  for (int n = 0; n < fragments; ++n) {
    wmma::store_matrix_sync(staged + n * 8 * staged_pitch, sums[n], staged_pitch, wmma::mem_col_major);
  }
  __syncwarp();
  const int lane = threadIdx.x % 32;
  pixel += lane;
  const int x = output_of(shape.x, static_cast<int>(pixel % shape.x.pitch), phase_x);
  const long long rows = pixel / shape.x.pitch;
  const int y = output_of(shape.y, static_cast<int>(rows % shape.y.pitch), phase_y);
  const long long sample = rows / shape.y.pitch;
  if (pixel >= shape.pixels || x < 0 || y < 0) return;
  const long long plane = static_cast<long long>(shape.y.output) * shape.x.output;
  float* target = output + (sample * shape.groups * shape.out_channels + first_channel) * plane +
                  static_cast<long long>(y) * shape.x.output + x;
  for (int c = 0; c < channels; ++c) {
    __stcs(target + c * plane, staged[c * staged_pitch + lane] * (1.0f / (input_scale * weight_scale)));
  }
}

// What a block multiplies, stage by stage: a row of taps. Stages count rows of taps, then chunks of channels;
// row 0 lies furthest back in the window. Shared memory has two stages at a time.
template <int fragments>
struct Stages {
  static constexpr int tap_halves = halves * fragments * chunk * 8;
  const Shape& shape;
  const __half *packed_input, *packed_weights;
  __half *pixels, *weights;  // in shared memory
  int most_pixels, most_taps;
  long long first_pixel;
  int phase_y, phase_x, rows, columns;

  __device__ int count() const { return columns > 0 ? rows * shape.chunks : 0; }
  __device__ __half* pixels_of(int stage) const {
    return pixels + (shape.whole_windows ? stage / rows : stage) % 2 * halves * most_pixels * chunk;
  }
  __device__ __half* weights_of(int stage) const { return weights + stage % 2 * most_taps * tap_halves; }
  // Where in the window the pixels of the row's last tap begin.
  __device__ int begin_of(int stage) const {
    return shape.whole_windows ? (rows - 1 - stage % rows) * shape.x.pitch : 0;
  }
  __device__ void fetch(int stage) const {
    const int row = stage % rows, part = stage / rows;
    if (row == 0 || !shape.whole_windows) {
      const int group = blockIdx.y / shape.tiles;
      const int y = shape.y.window - (shape.whole_windows ? rows - 1 : row);
      const long long source =
          first_pixel + static_cast<long long>(y) * shape.x.pitch + shape.x.window - (columns - 1);
      for (int half = 0; half < halves; ++half) {
        const long long plane = (group * shape.chunks + part) * halves + half;
        copy_to_shared(pixels_of(stage) + half * most_pixels * chunk,
                       packed_input + (plane * shape.stream + source) * chunk,
                       shape.window_pixels(rows, columns) * chunk);
      }
    }
    const int first_tap = (phase_y + row * shape.y.stride) * shape.x.taps + phase_x;
    const size_t source = (blockIdx.y * shape.chunks + part) * (shape.y.taps * shape.x.taps) + first_tap;
    for (int column = 0; column < columns; ++column) {
      copy_to_shared(weights_of(stage) + column * tap_halves,
                     packed_weights + (source + column * shape.x.stride) * tap_halves, tap_halves);
    }
  }
};

// Block: x counts pixels, y groups and tiles of output channels, z phases.
template <int fragments>
__global__ void __launch_bounds__(threads, 2)
    multiply(const __half* __restrict__ packed_input, const __half* __restrict__ packed_weights,
             float* __restrict__ output, Shape shape, int most_pixels, int most_taps, const int* too_large) {
  extern __shared__ uint4 shared[];
  if (*too_large != 0) return;
  __half* const pixel_stages = reinterpret_cast<__half*>(shared);
  __half* const weight_stages = pixel_stages + 2 * halves * most_pixels * chunk;
  const int phase_y = blockIdx.z / shape.x.stride, phase_x = blockIdx.z % shape.x.stride;
  const int rows = taps_in(shape.y, phase_y), columns = taps_in(shape.x, phase_x);
  const long long first_pixel = static_cast<long long>(blockIdx.x) * block_pixels;
  const Stages<fragments> stages = {shape,         packed_input, packed_weights, pixel_stages,
                                    weight_stages, most_pixels,  most_taps,      first_pixel,
                                    phase_y,       phase_x,      rows,           columns};

  Sums total[fragments], sums[fragments];
  for (auto& fragment : total) wmma::fill_fragment(fragment, 0.0f);
  const int warp = threadIdx.x / 32;
  if (stages.count() > 0) stages.fetch(0);
  __pipeline_commit();
  for (int stage = 0; stage < stages.count(); ++stage) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this stage is there, and nobody reads the one that the next copies go to
    if (stage + 1 < stages.count()) stages.fetch(stage + 1);
    __pipeline_commit();

    for (auto& fragment : sums) wmma::fill_fragment(fragment, 0.0f);
    multiply_row<fragments>(sums, stages.pixels_of(stage) + (stages.begin_of(stage) + warp * 32) * chunk,
                            most_pixels, stages.weights_of(stage), columns);
#pragma unroll
    for (int n = 0; n < fragments; ++n) {
      for (int i = 0; i < sums[n].num_elements; ++i) total[n].x[i] += sums[n].x[i];
    }
  }
  __syncthreads();  // shared memory is free for the results

  const int first_channel = blockIdx.y % shape.tiles * fragments * 8;
  const int left = shape.out_channels - first_channel;
  write_output<fragments>(total, reinterpret_cast<float*>(shared) + warp * fragments * 8 * staged_pitch,
                          output, shape, first_pixel + warp * 32, phase_y, phase_x,
                          blockIdx.y / shape.tiles * shape.out_channels + first_channel,
                          left < fragments * 8 ? left : fragments * 8);
}

// ---- What the above cannot do: values too large (then the flag is set), more memory than there is.

__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* output, Shape shape, const int* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const long long out_plane = static_cast<long long>(shape.y.output) * shape.x.output;
  const long long in_plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const int out_channels = shape.groups * shape.out_channels, taps = shape.y.taps * shape.x.taps;
  const long long count = shape.batch_size * out_channels * out_plane;
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
    const int x = static_cast<int>(index % shape.x.output) + shape.x.padding;
    const int y = static_cast<int>(index % out_plane / shape.x.output) + shape.y.padding;
    const int out_channel = static_cast<int>(index / out_plane % out_channels);
    const int group = out_channel / shape.out_channels;
    const long long sample = index / out_plane / out_channels;
    const float* own_input = input + (sample * shape.groups + group) * shape.in_channels * in_plane;
    const float* own_kernel =
        kernel + (static_cast<long long>(group) * shape.in_channels * shape.out_channels +
                  out_channel % shape.out_channels) *
                     taps;
    float sum = 0.0f;
    for (int k = y % shape.y.stride; k < shape.y.taps && k <= y; k += shape.y.stride) {
      const int row = (y - k) / shape.y.stride;
      if (row >= shape.y.input) continue;
      for (int l = x % shape.x.stride; l < shape.x.taps && l <= x; l += shape.x.stride) {
        const int column = (x - l) / shape.x.stride;
        if (column >= shape.x.input) continue;
        for (int c = 0; c < shape.in_channels; ++c) {
          sum = fmaf(own_input[c * in_plane + static_cast<long long>(row) * shape.x.input + column],
                     own_kernel[static_cast<long long>(c) * shape.out_channels * taps + k * shape.x.taps + l],
                     sum);
        }
      }
    }
    output[index] = sum;
  }
}

// False, and nothing launched, where memory does not suffice.
template <int fragments>
bool launch(const float* input, const float* kernel, float* output, Shape shape) {
  shape.tiles = (shape.out_channels + fragments * 8 - 1) / (fragments * 8);
  const int rows = taps_in(shape.y, 0), columns = taps_in(shape.x, 0);  // phase 0 has the most
  shape.whole_windows = (rows - 1) * shape.x.pitch <= block_pixels;
  const int window_pixels = shape.window_pixels(rows, columns);
  const size_t tap_bytes = sizeof(__half) * halves * fragments * chunk * 8;
  const size_t stage_bytes = sizeof(__half) * halves * window_pixels * chunk + columns * tap_bytes;
  const size_t staged_bytes = sizeof(float) * warps * fragments * 8 * staged_pitch;
  const size_t shared_bytes = 2 * stage_bytes > staged_bytes ? 2 * stage_bytes : staged_bytes;
  const unsigned in_planes = shape.groups * shape.chunks, out_planes = shape.groups * shape.tiles;
  const unsigned phases = shape.y.stride * shape.x.stride;
  if (shared_bytes > 160 << 10 || in_planes > 65535 || out_planes > 65535 || phases > 65535) return false;
  if (cudaFuncSetAttribute(multiply<fragments>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(shared_bytes)) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }

  const size_t weight_blocks = static_cast<size_t>(out_planes) * shape.chunks * shape.y.taps * shape.x.taps;
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
  multiply<fragments>
      <<<dim3(blocks(shape.pixels, block_pixels), out_planes, phases), threads, shared_bytes>>>(
          stream, weights, output, shape, window_pixels, columns, too_large);
  plain<<<1024, threads>>>(input, kernel, output, shape, too_large);
  cudaFreeAsync(scratch, nullptr);
  return true;
}

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups) {
  Shape shape = {};
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);
  shape.chunks = (shape.in_channels + chunk - 1) / chunk;
  shape.pixels = static_cast<long long>(batch_size) * shape.y.pitch * shape.x.pitch;
  // A block may be the last, and the windows behind its pixels end in the last rows of the stream.
  shape.stream =
      shape.pixels + block_pixels + static_cast<long long>(shape.y.window) * shape.x.pitch + shape.x.window;
  const bool launched = shape.out_channels > 16 ? launch<8>(input, kernel, output, shape)
                                                : launch<2>(input, kernel, output, shape);
  if (!launched) plain<<<4096, threads>>>(input, kernel, output, shape, nullptr);
}
