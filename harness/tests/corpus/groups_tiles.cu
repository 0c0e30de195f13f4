// Cooperative groups: blocks, tiles of every width, shuffles and votes within them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "corpus.h"

namespace cg = cooperative_groups;

namespace {

template <unsigned Width>
__device__ float tile_sum(const cg::thread_block_tile<Width>& tile, float value) {
  for (int delta = tile.size() / 2; delta > 0; delta /= 2) value += tile.shfl_down(value, delta);
  return value;
}

__global__ void reduce_block(const float* input, float* output, int n) {
  __shared__ float partial[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float sum = 0.0f;
  for (unsigned i = block.thread_rank(); i < n; i += block.num_threads()) sum += input[blockIdx.x * n + i];
  sum = tile_sum(warp, sum);
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = sum;
  cg::sync(block);
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : 0.0f;
    sum = tile_sum(warp, sum);
    if (warp.thread_rank() == 0) output[block.group_index().x] = sum;
  }
}

// One row of 8 results a thread.
template <int Width>
__global__ void tile_operations(const int* input, int* output) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<Width>(block);
  const int rank = block.thread_rank(), value = input[rank];
  int* const row = output + rank * 8;
  row[0] = tile.shfl(value, 1);
  row[1] = tile.shfl_up(value, 2);
  row[2] = tile.shfl_xor(value, 1);
  row[3] = tile.any(value > 100) * 2 + tile.all(value > -100);
  row[4] = tile.ballot(value % 2 == 0);
  row[5] = tile.match_any(value % 3);
  row[6] = tile.meta_group_rank() * 100 + tile.meta_group_size();
  row[7] = tile.thread_rank() * 100 + tile.num_threads();
}

template <int Width>
void check_tile_operations(corpus::Report& report) {
  const int threads = 64;
  std::vector<int> input(threads), expected(threads * 8, 0);
  for (int i = 0; i < threads; ++i) input[i] = (i * 37) % 113;
  for (int i = 0; i < threads; ++i) {
    const int first = i / Width * Width, rank = i - first;
    int* const row = expected.data() + i * 8;
    row[0] = input[first + 1];
    row[1] = rank >= 2 ? input[i - 2] : input[i];
    row[2] = input[first + (rank ^ 1)];
    bool any = false;
    for (int j = 0; j < Width; ++j) {
      any = any || input[first + j] > 100;
      if (input[first + j] % 2 == 0) row[4] |= 1 << j;
      if (input[first + j] % 3 == input[i] % 3) row[5] |= 1 << j;
    }
    row[3] = any * 2 + 1;
    row[6] = i / Width * 100 + threads / Width;
    row[7] = rank * 100 + Width;
  }
  const corpus::DeviceArray<int> device_input(input), output(threads * 8);
  tile_operations<Width><<<1, threads>>>(device_input.data(), output.data());
  report.expect_equal("tile operations", output.download(), expected);
}

struct Complex {
  double real, imaginary;
  int tag;
};

__global__ void shuffle_objects(Complex* values) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  values[threadIdx.x] = tile.shfl(values[threadIdx.x], 7 - tile.thread_rank());
}

__device__ int group_sum(cg::thread_group group, int* scratch, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sum_any_group(int* output, unsigned width) {
  __shared__ int scratch[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_group tile = cg::tiled_partition(block, width);
  const unsigned first = block.thread_rank() - tile.thread_rank();
  const int sum = group_sum(tile, scratch + first, threadIdx.x);
  if (tile.thread_rank() == 0) output[block.thread_rank() / width] = sum;
  block.sync();
  const int all = group_sum(block, scratch, threadIdx.x);
  if (block.thread_rank() == 0) output[block.size() / width] = all;
}

__global__ void tiles_of_tiles(int* output) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto quad = cg::tiled_partition<4>(warp);
  output[threadIdx.x] = quad.meta_group_rank() * 1000 + quad.meta_group_size() * 10 +
                        quad.shfl(static_cast<int>(warp.thread_rank()), 3) % 10;
}

__global__ void ranks_of_the_grid(unsigned long long* output) {
  cg::grid_group grid = cg::this_grid();
  output[grid.thread_rank()] = grid.block_rank() * grid.size() + cg::this_thread_block().thread_rank();
}

template <int Width>
__global__ void wide_tiles(const int* input, int* sums, int* others) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Width>(block);
  const int value = input[block.thread_rank()];
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
  others[block.thread_rank()] = tile.shfl(value, Width - 1);
  tile.sync();
}

}  // namespace

CORPUS_CASE(block_reduction_by_tiles) {
  const int rows = 5, n = 777;
  const auto input = corpus::numbers(rows * n, 1);
  const corpus::DeviceArray<float> device_input(input), output(rows);
  reduce_block<<<rows, 256>>>(device_input.data(), output.data(), n);
  std::vector<float> expected(rows, 0.0f);
  for (int i = 0; i < rows * n; ++i) expected[i / n] += input[i];
  report.expect_equal("sums", output.download(), expected);
}

CORPUS_CASE(tiles_of_4) { check_tile_operations<4>(report); }
CORPUS_CASE(tiles_of_8) { check_tile_operations<8>(report); }
CORPUS_CASE(tiles_of_16) { check_tile_operations<16>(report); }

CORPUS_CASE(shuffles_objects) {
  std::vector<Complex> values(32);
  for (int i = 0; i < 32; ++i) values[i] = {i * 1.5, -i * 2.0, i};
  const corpus::DeviceArray<Complex> device_values(values);
  shuffle_objects<<<1, 32>>>(device_values.data());
  const auto result = device_values.download();
  for (int i = 0; i < 32; ++i) {
    const Complex& expected = values[i / 8 * 8 + 7 - i % 8];
    report.expect_equal("real", result[i].real, expected.real);
    report.expect_equal("imaginary", result[i].imaginary, expected.imaginary);
    report.expect_equal("tag", result[i].tag, expected.tag);
  }
}

CORPUS_CASE(groups_known_at_run_time) {
  for (const int width : {8, 32}) {
    const corpus::DeviceArray<int> output(128 / width + 1);
    sum_any_group<<<1, 128>>>(output.data(), width);
    std::vector<int> expected(128 / width + 1, 0);
    for (int i = 0; i < 128; ++i) {
      expected[i / width] += i;
      expected.back() += i;
    }
    report.expect_equal("sums", output.download(), expected);
  }
}

CORPUS_CASE(tiles_of_tiles_have_ranks) {
  const corpus::DeviceArray<int> output(64);
  tiles_of_tiles<<<1, 64>>>(output.data());
  std::vector<int> expected(64);
  for (int i = 0; i < 64; ++i) expected[i] = i % 32 / 4 * 1000 + 80 + (i % 32 / 4 * 4 + 3) % 10;
  report.expect_equal("ranks", output.download(), expected);
}

CORPUS_CASE(grids_have_ranks) {
  const corpus::DeviceArray<unsigned long long> output(6 * 20);
  ranks_of_the_grid<<<dim3(2, 3), dim3(5, 4)>>>(output.data());
  std::vector<unsigned long long> expected(120);
  for (unsigned i = 0; i < 120; ++i) expected[i] = i / 20 * 120ull + i % 20;
  report.expect_equal("ranks", output.download(), expected);
}

CORPUS_CASE(tiles_wider_than_a_warp) {
  std::vector<int> input(256), sums(4, 0), others(256);
  for (int i = 0; i < 256; ++i) input[i] = i * i % 101;
  for (int i = 0; i < 256; ++i) {
    sums[i / 64] += input[i];
    others[i] = input[i / 64 * 64 + 63];
  }
  const corpus::DeviceArray<int> device_input(input), device_sums(4), device_others(256);
  wide_tiles<64><<<1, 256>>>(device_input.data(), device_sums.data(), device_others.data());
  report.expect_equal("sums", device_sums.download(), sums);
  report.expect_equal("last values", device_others.download(), others);
}
