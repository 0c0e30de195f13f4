// Transposed convolution whose stride and dilation along y are 2: every other row of the output is zeros. Its
// shape, and how rows get to device memory.
//
// A unit is one row of 16 output channels, which taps reach. Its windows, one a channel, are what its block
// writes: the zeros since the row before, and the row. Rows begin anywhere, but windows end at multiples of
// 128 bytes, in the zeros that follow a row (or in the next plane, of which nothing is written). So a warp
// writes whole lines of the L2 cache, but for a plane's first and last words.
#pragma once

#include <cuda_runtime.h>

namespace rows {

constexpr int stride_x = 3, stride_y = 2, most_taps_x = 5, most_taps_y = 3;
constexpr int chunk = 8;           // input channels of a group at most
constexpr int tile_channels = 16;  // output channels of a unit
constexpr int most_columns = 256;
// Words from one staged row to the next: the 8 rows that a warp writes at once meet in no bank.
constexpr int staged_pitch = stride_x * most_columns + 8;
constexpr int buffer_words = tile_channels * staged_pitch;
constexpr int buffers = 2;      // of staged units: one is computed while the other goes to device memory
constexpr int line_words = 32;  // of the L2 cache

struct Shape {
  int height, width, out_height, out_width, kernel_h, kernel_w;
  int batch_size, groups, in_channels, out_channels, tiles;  // channels and their tiles: of a group
  int lead;       // words of the first column's three that padding cuts off
  int columns;    // that outputs come from: three words each
  int first_y;    // of the first unit
  int first_row;  // of the input, that tap 0 takes to unit 0; tap k takes row first_row + u - k to unit u
  int units;
  int splits;    // of a group and tile of channels: blocks that share its units
  bool vectors;  // rows of the input are multiples of 16 bytes

  __host__ __device__ int in_plane() const { return height * width; }
  __host__ __device__ int out_plane() const { return out_height * out_width; }
};

// The channel of row m of a tile. Rows 0 to 3 are channels of the same parity: where planes are an odd number
// of 8 bytes long, the alignment of the staged rows is still the same, and they meet in no bank.
__device__ inline int channel_of(int m) { return (m & 8) | (m & 3) << 1 | (m >> 2 & 1); }

// A channel's output. Words are counted from the multiple of 16 bytes at or before its begin.
struct Plane {
  float* aligned;
  int skew;  // the word at which it begins

  __device__ Plane(float* begin) {
    skew = static_cast<int>(reinterpret_cast<unsigned long long>(begin) / 4 % 4);
    aligned = begin - skew;
  }
};

// Where staged row m has the row's first word: fixed, as the distance of units is a multiple of 16 bytes.
__device__ inline int staged_skew(const Plane& plane, const Shape& shape) {
  return (plane.skew + shape.first_y * shape.out_width) % 4;
}

// The end of the window of a row that ends at word `row_end`: a line's, where that is not behind the zeros.
__device__ inline int window_end(const Plane& plane, const Shape& shape, int row_end) {
  const int own = static_cast<int>(reinterpret_cast<unsigned long long>(plane.aligned) / 4 % line_words);
  const int line_end = (row_end + own + line_words - 1) / line_words * line_words - own;
  return shape.out_width >= line_words ? line_end : (row_end + 3) & ~3;
}

// Words [begin, end) of a plane, by a warp: from `source`, which stands for those from the multiple of four
// `source_begin` to `source_end`, and zeros elsewhere.
__device__ inline void store_window(const Plane& plane, int begin, int end, const float* source,
                                    int source_begin, int source_end) {
  const int lane = threadIdx.x % 32;
  const int body_begin = (begin + 3) & ~3, body_end = end & ~3;
  const int before =
      static_cast<int>(reinterpret_cast<unsigned long long>(plane.aligned + body_begin) / 4 % line_words);
  for (int i = body_begin - before + 4 * lane; i < body_end; i += 4 * 32) {
    if (i < body_begin) continue;
    const bool is_staged = i >= source_begin && i < source_end;
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __stcs(reinterpret_cast<float4*>(plane.aligned + i),
           is_staged ? *reinterpret_cast<const float4*>(source + (i - source_begin)) : zero);
  }
  // Only a plane's begin and end have words beside those.
  const int edge =
      lane < 4 ? (begin & ~3) + lane : (body_end > body_begin ? body_end : body_begin) + lane - 4;
  if (lane < 8 && edge >= begin && edge < end && (lane < 4 ? edge < body_begin : true)) {
    const bool is_staged = edge >= source_begin && edge < source_end;
    plane.aligned[edge] = is_staged ? source[edge - source_begin] : 0.0f;
  }
}

// The windows of unit u. Each of `warps` has every warps-th channel.
template <int warps>
__device__ inline void store_unit(float* first_plane, const float* staged, const Shape& shape, int u,
                                  int channels) {
  for (int m = threadIdx.x / 32; m < tile_channels; m += warps) {
    const int channel = channel_of(m);
    if (channel >= channels) continue;
    const Plane plane(first_plane + static_cast<long long>(channel) * shape.out_plane());
    const int row_begin = plane.skew + (shape.first_y + u * stride_y) * shape.out_width;
    const int row_end = row_begin + shape.out_width;
    const int begin = u == 0 ? plane.skew : window_end(plane, shape, row_begin - shape.out_width);
    const int end = u == shape.units - 1 ? plane.skew + shape.out_plane() : window_end(plane, shape, row_end);
    store_window(plane, begin, end, staged + m * staged_pitch, row_begin & ~3, (row_end + 3) & ~3);
  }
}

// Zeros before and behind the rows that will be staged.
template <int threads>
__device__ inline void clear_staging(float* staged, const Shape& shape) {
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const int behind = shape.out_width / 4;
  for (int m = threadIdx.x / 32; m < buffers * tile_channels; m += threads / 32) {
    float4* row = reinterpret_cast<float4*>(staged + m * staged_pitch);
    for (int i = threadIdx.x % 32; i <= staged_pitch / 4 - behind; i += 32) {
      row[i == 0 ? 0 : behind + i - 1] = zero;
    }
  }
}

// The sums of one row's phases at two neighbouring columns to six words of a staged row, of which `words` are
// in the output; the first is number `word`. `pairs`: they are aligned by two.
template <bool pairs>
__device__ inline void stage(float* row, int word, const float (&values)[6], int words) {
  if (pairs) {
#pragma unroll
    for (int i = 0; i < 6; i += 2) {
      if (static_cast<unsigned>(word + i) < static_cast<unsigned>(words)) {
        *reinterpret_cast<float2*>(row + word + i) = make_float2(values[i], values[i + 1]);
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < 6; ++i) {
      if (static_cast<unsigned>(word + i) < static_cast<unsigned>(words)) row[word + i] = values[i];
    }
  }
}

// False where this is not such a convolution.
inline bool shape_of(Shape& shape, size_t in_channels, size_t out_channels, size_t height, size_t width,
                     size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                     size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t dilation_h,
                     size_t dilation_w, size_t groups) {
  if (stride_h != stride_y || dilation_h != stride_y || stride_w != stride_x || dilation_w != 1) return false;
  if (kernel_h > most_taps_y || kernel_w > most_taps_x || padding_w >= stride_x) return false;
  if (in_channels / groups > chunk) return false;
  const size_t out_height =
      (height - 1) * stride_h + dilation_h * (kernel_h - 1) + output_padding_h + 1 - 2 * padding_h;
  const size_t out_width =
      (width - 1) * stride_w + dilation_w * (kernel_w - 1) + output_padding_w + 1 - 2 * padding_w;
  const size_t columns = (out_width - 1 + padding_w) / stride_w + 1, first_y = padding_h % stride_y;
  if (out_width % 2 != 0 || columns > most_columns || width > most_columns || first_y >= out_height)
    return false;
  // Places of a group's channels are counted in 32 bits; and windows need room between rows.
  if (out_height * out_width >= 1u << 30 || height * width >= 1u << 27 || out_width < 4) return false;

  shape.height = static_cast<int>(height);
  shape.width = static_cast<int>(width);
  shape.out_height = static_cast<int>(out_height);
  shape.out_width = static_cast<int>(out_width);
  shape.kernel_h = static_cast<int>(kernel_h);
  shape.kernel_w = static_cast<int>(kernel_w);
  shape.groups = static_cast<int>(groups);
  shape.in_channels = static_cast<int>(in_channels / groups);
  shape.out_channels = static_cast<int>(out_channels / groups);
  shape.tiles = (shape.out_channels + tile_channels - 1) / tile_channels;
  shape.lead = static_cast<int>(padding_w);
  shape.columns = static_cast<int>(columns);
  shape.first_y = static_cast<int>(first_y);
  shape.first_row = static_cast<int>((padding_h + first_y) / 2);
  shape.units = static_cast<int>((out_height - first_y + 1) / 2);
  return true;
}

// Blocks for `images` that have `units` each, as many as the device runs at once. 0: too many.
inline unsigned split_units(Shape& shape, size_t images, size_t units) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  size_t splits = static_cast<size_t>(multiprocessors) / images;
  if (splits > units) splits = units;
  if (splits < 1) splits = 1;
  shape.splits = static_cast<int>(splits);
  const size_t blocks = images * splits;
  return blocks < 1u << 31 ? static_cast<unsigned>(blocks) : 0;
}

}  // namespace rows
