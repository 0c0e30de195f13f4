#include "vendor/kernels.h"

namespace baseline {
namespace {

constexpr int tile = 32;
constexpr int tile_rows_at_once = 8;

__global__ void sample_kernel(const float* tensor, float* samples, std::int64_t step, std::int64_t number) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < number) samples[i] = tensor[i * step];
}

// Through a tile in shared memory, so that both sides are read and written in order. blockIdx.y is the number
// of the matrix.
__global__ void transpose_kernel(const float* __restrict__ from, float* __restrict__ to, std::int64_t rows,
                                 std::int64_t columns) {
  __shared__ float held[tile][tile + 1];  // one more: no two rows begin in the same bank
  const std::int64_t tiles_across = (columns + tile - 1) / tile;
  const std::int64_t first_row = blockIdx.x / tiles_across * tile;
  const std::int64_t first_column = blockIdx.x % tiles_across * tile;
  const std::int64_t matrix = blockIdx.y * rows * columns;
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + i;
    const std::int64_t column = first_column + threadIdx.x;
    if (row < rows && column < columns) held[i][threadIdx.x] = from[matrix + row * columns + column];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += tile_rows_at_once) {
    const std::int64_t row = first_row + threadIdx.x;
    const std::int64_t column = first_column + i;
    if (row < rows && column < columns) to[matrix + column * rows + row] = held[threadIdx.x][i];
  }
}

// One block for each plane (blockIdx.y is the sample): the whole plane has the same channel's weight and
// bias.
__global__ void scale_channels_kernel(const float* input, const float* weight, const float* bias,
                                      float* output, int positions) {
  const std::size_t channel = blockIdx.x;
  const std::size_t plane = blockIdx.y * static_cast<std::size_t>(gridDim.x) + channel;
  const float scale = weight[channel];
  const float shift = bias[channel];
  const std::size_t first = plane * static_cast<std::size_t>(positions);
  for (int i = threadIdx.x; i < positions; i += blockDim.x)
    output[first + i] = input[first + i] * scale + shift;
}

}  // namespace

void sample(const float* tensor, float* samples, std::int64_t step, std::int64_t number) {
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>((number + threads - 1) / threads);
  sample_kernel<<<blocks, threads>>>(tensor, samples, step, number);
}

bool transpose(const float* from, float* to, std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most_blocks_across = 2147483647;
  constexpr std::int64_t most_blocks_down = 65535;
  const std::int64_t tiles = ((rows + tile - 1) / tile) * ((columns + tile - 1) / tile);
  if (tiles > most_blocks_across || matrices > most_blocks_down) return false;
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(matrices));
  transpose_kernel<<<grid, dim3(tile, tile_rows_at_once)>>>(from, to, rows, columns);
  return cudaPeekAtLastError() == cudaSuccess;
}

bool scale_channels(const float* input, const float* weight, const float* bias, float* output, int batch,
                    int channels, int positions) {
  const dim3 grid(static_cast<unsigned>(channels), static_cast<unsigned>(batch));
  scale_channels_kernel<<<grid, 128>>>(input, weight, bias, output, positions);
  return cudaPeekAtLastError() == cudaSuccess;
}

}  // namespace baseline
