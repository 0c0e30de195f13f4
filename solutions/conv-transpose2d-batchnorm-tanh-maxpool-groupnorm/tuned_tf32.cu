// ConvTranspose2D, BatchNorm, Tanh, MaxPool and GroupNorm in two passes, on tensor cores with half
// operands.
// Of TF32's precision class: where a problem asks for fp32, it counts as low_precision.
//
// The same as tuned.cu with one product in place of three: inputs and weights are rounded to fp16, whose
// significand has the 11 bits that TF32's has, and which tensor cores multiply at twice the rate of TF32.
// Powers of two that they are multiplied by keep them in fp16's range. A value too large sets a flag on the
// device, and the plain kernel at the end then computes everything in fp32. The plain kernel also does
// cases of less than 2e7 products. All cases for tests are such: their verdicts say nothing of the class.
//
// What bounds it: with one product for an operand read, the way out of shared memory as much as the tensor
// cores.
//
// Predicted, not measured: 0.9 ms for the measured case, 0.5 ms of it in `multiply`.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

const int chunk = 16;  // channels of a product
const int warps = 8;   // of a block, each with the 32 pixels of a fragment
const int threads = 32 * warps;
const int block_pixels = 32 * warps;
const int staged_pitch = 36;  // floats from one channel's 32 results to the next one's: no bank conflicts
const int copies = 16;        // of the sums for batch norm, so that fewer blocks add to the same one
const double epsilon = 1e-5;
// With fewer products than these the plain kernel, at the 1.5e12 a second that naive.cu was measured at, is
// done in the time of a few launches.
const double worth_packing = 2e7;
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
  int batch_size, in_channels, out_channels;
  int chunks, tiles;   // of input channels, of output channels
  bool whole_windows;  // a block keeps the pixels of all rows of taps, not of one
  long long pixels;    // of the padded stream that there are outputs for
  long long stream;    // those and the ones that their windows reach

  __host__ __device__ long long conv_plane() const { return static_cast<long long>(y.output) * x.output; }
  __host__ __device__ int window_pixels(int rows, int columns) const {
    const int more_rows = whole_windows && rows > 1 ? (rows - 1) * x.pitch : 0;
    return block_pixels + more_rows + (columns > 1 ? columns - 1 : 0);
  }
};

// ---- Packing.

__device__ __half scaled(float x, float scale, int* too_large) {
  if (!(fabsf(x * scale) < 65504.0f)) atomicExch(too_large, 1);  // NaN as well
  return __float2half_rn(x * scale);
}

// To [chunk][pixel][channel].
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

  const int first = blockIdx.y * chunk;
  const long long channel = sample * shape.in_channels + first;
  const long long plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const float* source = input + channel * plane + static_cast<long long>(row) * shape.x.input + column;
  alignas(16) __half values[chunk];
#pragma unroll
  for (int c = 0; c < chunk; ++c) {
    const float value = inside && first + c < shape.in_channels ? __ldg(source + c * plane) : 0.0f;
    values[c] = scaled(value, input_scale, too_large);
  }
  __half* target = packed + (blockIdx.y * shape.stream + pixel) * chunk;
  reinterpret_cast<uint4*>(target)[0] = reinterpret_cast<const uint4*>(values)[0];
  reinterpret_cast<uint4*>(target)[1] = reinterpret_cast<const uint4*>(values)[1];
}

// To [tile of output channels][chunk][tap][fragment][input channel][8 output channels].
template <int fragments>
__global__ void __launch_bounds__(threads)
    pack_weights(const float* __restrict__ kernel, __half* __restrict__ packed, Shape shape, int* too_large) {
  const int taps = shape.y.taps * shape.x.taps;
  const int index = blockIdx.x * threads + threadIdx.x;
  const int place = index % (fragments * chunk * 8), block = index / (fragments * chunk * 8);
  if (block >= shape.tiles * shape.chunks * taps) return;
  const int tap = block % taps, first = block / taps % shape.chunks * chunk;
  const int tile = block / taps / shape.chunks;
  const int in_channel = first + place / 8 % chunk;
  const int out_channel = (tile * fragments + place / 8 / chunk) * 8 + place % 8;
  float value = 0.0f;
  if (in_channel < shape.in_channels && out_channel < shape.out_channels) {
    const size_t slice = static_cast<size_t>(in_channel) * shape.out_channels + out_channel;
    value = kernel[slice * taps + tap];
  }
  packed[static_cast<size_t>(block) * fragments * chunk * 8 + place] = scaled(value, weight_scale, too_large);
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
__device__ void multiply_row(Sums* sums, const __half* pixels, const __half* weights, int taps) {
  for (int tap = 0; tap < taps; ++tap) {
    Pixels operand;
    wmma::load_matrix_sync(operand, pixels + (taps - 1 - tap) * chunk, chunk);
#pragma unroll
    for (int n = 0; n < fragments; ++n) {
      Weights weight;
      wmma::load_matrix_sync(weight, weights + (tap * fragments + n) * chunk * 8, 8);
      wmma::mma_sync(sums[n], operand, weight, sums[n]);
    }
  }
}

// A warp's 32 pixels to the convolution's result, and their sum and sum of squares for each channel to
// `sums_of_warp`: through shared memory, so that a store's lanes write neighbours, and that a lane adds up a
// channel.
template <int fragments>
__device__ void write_result(const Sums* sums, float* staged, float2* sums_of_warp, float* conv,
                             const Shape& shape, long long pixel, int phase_y, int phase_x,
                             int first_channel) {
  for (int n = 0; n < fragments; ++n) {
    wmma::store_matrix_sync(staged + n * 8 * staged_pitch, sums[n], staged_pitch, wmma::mem_col_major);
  }
  __syncwarp();
  const int lane = threadIdx.x % 32;
  pixel += lane;
  const int x = output_of(shape.x, static_cast<int>(pixel % shape.x.pitch), phase_x);
  const long long rows = pixel / shape.x.pitch;
  const int y = output_of(shape.y, static_cast<int>(rows % shape.y.pitch), phase_y);
  const bool valid = pixel < shape.pixels && x >= 0 && y >= 0;
  const unsigned valid_lanes = __ballot_sync(~0u, valid);
  const float scale = 1.0f / (input_scale * weight_scale);
  if (valid) {
    float* target = conv + (rows / shape.y.pitch * shape.out_channels + first_channel) * shape.conv_plane() +
                    static_cast<long long>(y) * shape.x.output + x;
    for (int c = 0; c < fragments * 8 && first_channel + c < shape.out_channels; ++c) {
      target[c * shape.conv_plane()] = staged[c * staged_pitch + lane] * scale;
    }
  }
  for (int c = lane; c < fragments * 8; c += 32) {
    float2 sum = make_float2(0.0f, 0.0f);
    for (int i = 0; i < 32; ++i) {
      const int other = (i + lane) % 32;  // lanes begin at different ones: no bank conflicts
      const float value = staged[c * staged_pitch + other] * scale;
      if (valid_lanes >> other & 1) sum = make_float2(sum.x + value, fmaf(value, value, sum.y));
    }
    sums_of_warp[c] = sum;
  }
}

// What a block multiplies, stage by stage: a row of taps. Stages count rows of taps, then chunks of channels;
// row 0 lies furthest back in the window. Shared memory has two stages at a time.
template <int fragments>
struct Stages {
  static constexpr int tap_halves = fragments * chunk * 8;
  const Shape& shape;
  const __half *packed_input, *packed_weights;
  __half *pixels, *weights;  // in shared memory
  int most_pixels, most_taps;
  long long first_pixel;
  int phase_y, phase_x, rows, columns;

  __device__ int count() const { return columns > 0 ? rows * shape.chunks : 0; }
  __device__ __half* pixels_of(int stage) const {
    return pixels + (shape.whole_windows ? stage / rows : stage) % 2 * most_pixels * chunk;
  }
  __device__ __half* weights_of(int stage) const { return weights + stage % 2 * most_taps * tap_halves; }
  // Where in the window the pixels of the row's last tap begin.
  __device__ int begin_of(int stage) const {
    return shape.whole_windows ? (rows - 1 - stage % rows) * shape.x.pitch : 0;
  }
  __device__ void fetch(int stage) const {
    const int row = stage % rows, part = stage / rows;
    if (row == 0 || !shape.whole_windows) {
      const int y = shape.y.window - (shape.whole_windows ? rows - 1 : row);
      const long long source =
          first_pixel + static_cast<long long>(y) * shape.x.pitch + shape.x.window - (columns - 1);
      const long long plane = part;
      copy_to_shared(pixels_of(stage), packed_input + (plane * shape.stream + source) * chunk,
                     shape.window_pixels(rows, columns) * chunk);
    }
    const int first_tap = (phase_y + row * shape.y.stride) * shape.x.taps + phase_x;
    const size_t source = (blockIdx.y * shape.chunks + part) * (shape.y.taps * shape.x.taps) + first_tap;
    for (int column = 0; column < columns; ++column) {
      copy_to_shared(weights_of(stage) + column * tap_halves,
                     packed_weights + (source + column * shape.x.stride) * tap_halves, tap_halves);
    }
  }
};

// Block: x counts pixels, y tiles of output channels, z phases.
template <int fragments>
__global__ void __launch_bounds__(threads, 2)
    multiply(const __half* __restrict__ packed_input, const __half* __restrict__ packed_weights,
             float* __restrict__ conv, double* statistics, Shape shape, int most_pixels, int most_taps,
             const int* too_large) {
  extern __shared__ uint4 shared[];
  if (*too_large != 0) return;
  __half* const pixel_stages = reinterpret_cast<__half*>(shared);
  __half* const weight_stages = pixel_stages + 2 * most_pixels * chunk;
  const int phase_y = blockIdx.z / shape.x.stride, phase_x = blockIdx.z % shape.x.stride;
  const int rows = taps_in(shape.y, phase_y), columns = taps_in(shape.x, phase_x);
  const long long first_pixel = static_cast<long long>(blockIdx.x) * block_pixels;
  const Stages<fragments> stages = {shape,         packed_input, packed_weights, pixel_stages,
                                    weight_stages, most_pixels,  most_taps,      first_pixel,
                                    phase_y,       phase_x,      rows,           columns};

  Sums sums[fragments];
  for (auto& fragment : sums) wmma::fill_fragment(fragment, 0.0f);
  const int warp = threadIdx.x / 32;
  if (stages.count() > 0) stages.fetch(0);
  __pipeline_commit();
  for (int stage = 0; stage < stages.count(); ++stage) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this stage is there, and nobody reads the one that the next copies go to
    if (stage + 1 < stages.count()) stages.fetch(stage + 1);
    __pipeline_commit();

    multiply_row<fragments>(sums, stages.pixels_of(stage) + (stages.begin_of(stage) + warp * 32) * chunk,
                            stages.weights_of(stage), columns);
  }
  __syncthreads();  // shared memory is free for the results

  __shared__ float2 sums_of_warps[warps][fragments * 8];
  const int first_channel = blockIdx.y * fragments * 8;
  float* const staged = reinterpret_cast<float*>(shared) + warp * fragments * 8 * staged_pitch;
  write_result<fragments>(sums, staged, sums_of_warps[warp], conv, shape, first_pixel + warp * 32, phase_y,
                          phase_x, first_channel);
  __syncthreads();
  const int channel = first_channel + threadIdx.x;
  if (threadIdx.x >= fragments * 8 || channel >= shape.out_channels) return;
  float2 sum = make_float2(0.0f, 0.0f);
  for (const auto& own : sums_of_warps) {
    sum = make_float2(sum.x + own[threadIdx.x].x, sum.y + own[threadIdx.x].y);
  }
  double* target = statistics + (blockIdx.x % copies * shape.out_channels + channel) * 2;
  atomicAdd(target, static_cast<double>(sum.x));
  atomicAdd(target + 1, static_cast<double>(sum.y));
}

// ---- The convolution where the above cannot do it: values too large (then the flag is set), too little
// shared memory.

__global__ void __launch_bounds__(threads)
    plain(const float* input, const float* kernel, float* conv, Shape shape, const int* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const long long in_plane = static_cast<long long>(shape.y.input) * shape.x.input;
  const long long weights_of_channel =
      static_cast<long long>(shape.out_channels) * shape.y.taps * shape.x.taps;
  const long long count = shape.batch_size * shape.out_channels * shape.conv_plane();
  for (long long index = static_cast<long long>(blockIdx.x) * threads + threadIdx.x; index < count;
       index += static_cast<long long>(gridDim.x) * threads) {
    const int x = static_cast<int>(index % shape.x.output) + shape.x.padding;
    const int y = static_cast<int>(index % shape.conv_plane() / shape.x.output) + shape.y.padding;
    const int out_channel = static_cast<int>(index / shape.conv_plane() % shape.out_channels);
    const float* own_input =
        input + index / shape.conv_plane() / shape.out_channels * shape.in_channels * in_plane;
    const float* own_kernel = kernel + static_cast<long long>(out_channel) * shape.y.taps * shape.x.taps;
    float sum = 0.0f;
    for (int k = y % shape.y.stride; k < shape.y.taps && k <= y; k += shape.y.stride) {
      const int row = (y - k) / shape.y.stride;
      if (row >= shape.y.input) continue;
      for (int l = x % shape.x.stride; l < shape.x.taps && l <= x; l += shape.x.stride) {
        const int column = (x - l) / shape.x.stride;
        if (column >= shape.x.input) continue;
        for (int c = 0; c < shape.in_channels; ++c) {
          sum = fmaf(own_input[c * in_plane + static_cast<long long>(row) * shape.x.input + column],
                     own_kernel[c * weights_of_channel + k * shape.x.taps + l], sum);
        }
      }
    }
    conv[index] = sum;
  }
}

// The sum of one value from each thread of the block.
template <class Number>
__device__ Number block_sum(Number value, Number* partial) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  Number sum = 0;
  for (int warp = 0; warp < warps; ++warp) sum += partial[warp];
  __syncthreads();  // nobody may write to `partial` again before all have read it
  return sum;
}

// Block: a channel.
__global__ void __launch_bounds__(threads)
    plain_statistics(const float* conv, double* statistics, Shape shape, const int* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  __shared__ double partial[warps];
  double sum = 0, squares = 0;
  for (int sample = 0; sample < shape.batch_size; ++sample) {
    const float* plane =
        conv + (static_cast<long long>(sample) * shape.out_channels + blockIdx.x) * shape.conv_plane();
    for (long long i = threadIdx.x; i < shape.conv_plane(); i += threads) {
      sum += plane[i];
      squares += static_cast<double>(plane[i]) * plane[i];
    }
  }
  sum = block_sum(sum, partial);
  squares = block_sum(squares, partial);
  if (threadIdx.x != 0) return;
  statistics[2 * blockIdx.x] = sum;
  statistics[2 * blockIdx.x + 1] = squares;
}

// ---- What follows the convolution.

struct Norms {
  const float *bn_weight, *bn_bias, *gn_weight, *gn_bias;
};

// Batch norm of a channel as value * factor + summand.
__device__ float2 batch_norm_of(int channel, const double* statistics, const Norms& norms,
                                const Shape& shape) {
  double sum = 0, squares = 0;
  for (int copy = 0; copy < copies; ++copy) {
    sum += statistics[(copy * shape.out_channels + channel) * 2];
    squares += statistics[(copy * shape.out_channels + channel) * 2 + 1];
  }
  const double count = static_cast<double>(shape.batch_size) * static_cast<double>(shape.conv_plane());
  const double mean = sum / count, variance = fmax(squares / count - mean * mean, 0.0);
  const double factor = norms.bn_weight[channel] / sqrt(variance + epsilon);
  return make_float2(static_cast<float>(factor), static_cast<float>(norms.bn_bias[channel] - mean * factor));
}

// Block: a group of `channels` in a sample. Between its passes the values lie in shared memory if they are
// `kept` there, and else in the output, where each thread reads what it wrote itself.
__global__ void __launch_bounds__(threads)
    finish(const float* __restrict__ conv, const double* __restrict__ statistics, float* output, Norms norms,
           Shape shape, int channels, bool kept) {
  extern __shared__ float2 factors[];  // of the channels; then the values
  __shared__ float partial[warps];
  const int width = shape.x.output / 2, positions = shape.y.output / 2 * width, count = channels * positions;
  const int first_channel =
      static_cast<int>(static_cast<long long>(blockIdx.x) * channels % shape.out_channels);
  const long long first_plane = static_cast<long long>(blockIdx.x) * channels;
  float* target = output + first_plane * positions;
  float* values = kept ? reinterpret_cast<float*>(factors + channels) : target;
  for (int c = threadIdx.x; c < channels; c += threads) {
    factors[c] = batch_norm_of(first_channel + c, statistics, norms, shape);
  }
  __syncthreads();

  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += threads) {
    const int c = i / positions, y = i % positions / width * 2, x = i % width * 2;
    const float* corner =
        conv + (first_plane + c) * shape.conv_plane() + static_cast<long long>(y) * shape.x.output + x;
    const float2 factor = factors[c];
    const float sign = factor.x < 0.0f ? -1.0f : 1.0f;
    const float upper = fmaxf(sign * corner[0], sign * corner[1]);
    const float lower = fmaxf(sign * corner[shape.x.output], sign * corner[shape.x.output + 1]);
    values[i] = tanhf(fmaf(sign * fmaxf(upper, lower), factor.x, factor.y));
    sum += values[i];
  }
  const float mean = block_sum(sum, partial) / static_cast<float>(count);
  float squares = 0.0f;
  for (int i = threadIdx.x; i < count; i += threads) squares += (values[i] - mean) * (values[i] - mean);
  const float variance = block_sum(squares, partial) / static_cast<float>(count);
  const float inverse_deviation = 1.0f / sqrtf(variance + static_cast<float>(epsilon));
  for (int i = threadIdx.x; i < count; i += threads) {
    const int channel = first_channel + i / positions;
    target[i] = (values[i] - mean) * inverse_deviation * norms.gn_weight[channel] + norms.gn_bias[channel];
  }
}

// ---- Launching.

unsigned blocks_for(size_t count, int size) { return static_cast<unsigned>((count + size - 1) / size); }

// Products of `fragments` times 8 output channels a warp: the memory that they take, and their launches.
template <int fragments>
struct Products {
  static constexpr size_t tap_bytes = sizeof(__half) * fragments * chunk * 8;
  Shape shape;
  int rows, columns;  // the most taps of a phase: phase 0 has them

  explicit Products(const Shape& given)
      : shape(given), rows(taps_in(given.y, 0)), columns(taps_in(given.x, 0)) {
    shape.tiles = (shape.out_channels + fragments * 8 - 1) / (fragments * 8);
    shape.whole_windows = (rows - 1) * shape.x.pitch <= block_pixels;
  }
  int window_pixels() const { return shape.window_pixels(rows, columns); }
  size_t weight_blocks() const {
    return static_cast<size_t>(shape.tiles) * shape.chunks * shape.y.taps * shape.x.taps;
  }
  size_t input_bytes() const { return sizeof(__half) * shape.chunks * shape.stream * chunk; }
  size_t shared_bytes() const {
    const size_t stage_bytes = sizeof(__half) * window_pixels() * chunk + columns * tap_bytes;
    const size_t staged_bytes = sizeof(float) * warps * fragments * 8 * staged_pitch;
    return 2 * stage_bytes > staged_bytes ? 2 * stage_bytes : staged_bytes;
  }

  // False, and nothing launched, where memory does not suffice.
  bool launch(const float* input, const float* kernel, float* conv, double* statistics,
              int* too_large) const {
    const unsigned phases = shape.y.stride * shape.x.stride;
    if (shared_bytes() > 160 << 10 || shape.tiles > 65535 || shape.chunks > 65535 || phases > 65535)
      return false;
    __half* stream = nullptr;
    if (cudaFuncSetAttribute(multiply<fragments>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes())) != cudaSuccess ||
        cudaMallocAsync(&stream, input_bytes() + weight_blocks() * tap_bytes, nullptr) != cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    __half* weights = stream + input_bytes() / sizeof(__half);
    pack_weights<fragments><<<blocks_for(weight_blocks() * fragments * chunk * 8, threads), threads>>>(
        kernel, weights, shape, too_large);
    pack_input<<<dim3(blocks_for(shape.stream, threads), shape.chunks), threads>>>(input, stream, shape,
                                                                                   too_large);
    const dim3 grid(blocks_for(shape.pixels, block_pixels), shape.tiles, phases);
    multiply<fragments><<<grid, threads, shared_bytes()>>>(stream, weights, conv, statistics, shape,
                                                           window_pixels(), columns, too_large);
    cudaFreeAsync(stream, nullptr);
    return true;
  }
};

extern "C" void solution(const float* input, const float* kernel, const float* bn_weight,
                         const float* bn_bias, const float* gn_weight, const float* gn_bias, float* output,
                         size_t batch_size, size_t in_channels, size_t out_channels, size_t height,
                         size_t width, size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w,
                         size_t padding_h, size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t groups, size_t num_groups) {
  (void)groups;  // always 1
  Shape shape = {};
  shape.y = axis_of(height, kernel_h, stride_h, padding_h, output_padding_h);
  shape.x = axis_of(width, kernel_w, stride_w, padding_w, output_padding_w);
  shape.batch_size = static_cast<int>(batch_size);
  shape.in_channels = static_cast<int>(in_channels);
  shape.out_channels = static_cast<int>(out_channels);
  shape.chunks = (shape.in_channels + chunk - 1) / chunk;
  shape.pixels = static_cast<long long>(batch_size) * shape.y.pitch * shape.x.pitch;
  // A block may be the last, and the windows behind its pixels end in the last rows of the stream.
  shape.stream =
      shape.pixels + block_pixels + static_cast<long long>(shape.y.window) * shape.x.pitch + shape.x.window;

  // The flag, the sums for batch norm, and the convolution's result.
  const size_t statistics_bytes = sizeof(double) * copies * 2 * out_channels;
  const size_t conv_bytes = sizeof(float) * batch_size * out_channels * shape.conv_plane();
  char* scratch = nullptr;
  if (cudaMallocAsync(&scratch, 256 + statistics_bytes + conv_bytes, nullptr) != cudaSuccess) return;
  int* too_large = reinterpret_cast<int*>(scratch);
  double* statistics = reinterpret_cast<double*>(scratch + 256);
  float* conv = reinterpret_cast<float*>(scratch + 256 + statistics_bytes);
  cudaMemsetAsync(scratch, 0, 256 + statistics_bytes, nullptr);

  const double products =
      static_cast<double>(shape.pixels) * kernel_h * kernel_w * in_channels * out_channels;
  const bool launched =
      products >= worth_packing &&
      (shape.out_channels > 16 ? Products<8>(shape).launch(input, kernel, conv, statistics, too_large)
                               : Products<2>(shape).launch(input, kernel, conv, statistics, too_large));
  const int* wanted = launched ? too_large : nullptr;
  plain<<<1024, threads>>>(input, kernel, conv, shape, wanted);
  plain_statistics<<<static_cast<unsigned>(out_channels), threads>>>(conv, statistics, shape, wanted);

  const Norms norms = {bn_weight, bn_bias, gn_weight, gn_bias};
  const size_t channels = out_channels / num_groups;
  const size_t factor_bytes = sizeof(float2) * channels;
  const size_t all_bytes =
      factor_bytes + sizeof(float) * channels * (shape.y.output / 2) * (shape.x.output / 2);
  const bool kept = all_bytes <= 48 << 10;
  finish<<<static_cast<unsigned>(batch_size * num_groups), threads, kept ? all_bytes : factor_bytes>>>(
      conv, statistics, output, norms, shape, static_cast<int>(channels), kept);
  cudaFreeAsync(scratch, nullptr);
}
