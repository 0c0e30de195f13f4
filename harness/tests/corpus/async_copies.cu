// Asynchronous copies to shared memory: by groups, and by the primitives of a pipeline.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include "corpus.h"

namespace cg = cooperative_groups;

namespace {

constexpr int chunk = 256;

__global__ void sum_chunks(const float* input, float* output, int n) {
  __shared__ float staged[chunk];
  auto block = cg::this_thread_block();
  float sum = 0.0f;
  for (int begin = 0; begin < n; begin += chunk) {
    const int count = n - begin < chunk ? n - begin : chunk;
    cg::memcpy_async(block, staged, input + begin, sizeof(float) * count);
    cg::wait(block);
    // In reverse, so that each thread reads what another has copied.
    const int other = chunk - 1 - static_cast<int>(threadIdx.x);
    if (other < count) sum += staged[other];
    block.sync();
  }
  output[threadIdx.x] = sum;
}

// Two stages: a tile's next chunk is on its way while it works on this one.
__global__ void double_buffered(const float* input, float* output, int chunks) {
  __shared__ float staged[2][64];
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int first = tile.meta_group_rank() * 32, rank = tile.thread_rank();
  cg::memcpy_async(tile, &staged[0][first], 32, input + first, 32);
  for (int i = 0; i < chunks; ++i) {
    if (i + 1 < chunks) {
      cg::memcpy_async(tile, &staged[(i + 1) % 2][first], 32, input + (i + 1) * 64 + first, 32);
      cg::wait_prior<1>(tile);
    } else {
      cg::wait(tile);
    }
    output[i * 64 + threadIdx.x] = staged[i % 2][first + 31 - rank] * 2.0f;
    tile.sync();
  }
}

__global__ void pipelined(const float4* input, float4* output, int chunks) {
  __shared__ float4 staged[2][64];
  const int own = threadIdx.x;
  __pipeline_memcpy_async(&staged[0][own], &input[own], sizeof(float4));
  __pipeline_commit();
  for (int i = 0; i < chunks; ++i) {
    if (i + 1 < chunks) {
      __pipeline_memcpy_async(&staged[(i + 1) % 2][own], &input[(i + 1) * 64 + own], sizeof(float4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 value = staged[i % 2][63 - own];
    output[i * 64 + own] = make_float4(value.w, value.z, value.y, value.x);
    __syncthreads();
  }
}

// The last elements are not there: zeros take their place.
__global__ void filled_with_zeros(const int* input, int* output, int n) {
  __shared__ alignas(16) int staged[64 * 4];
  const int begin = threadIdx.x * 4, left = n - begin;
  const int missing = left >= 4 ? 0 : left > 0 ? 4 - left : 4;
  __pipeline_memcpy_async(&staged[begin], &input[missing < 4 ? begin : 0], 16, missing * sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < 4; ++i) output[begin + i] = staged[begin + i];
}

}  // namespace

CORPUS_CASE(a_block_copies_chunks) {
  const int n = 1000;
  const auto input = corpus::numbers(n, 1);
  const corpus::DeviceArray<float> device_input(input), output(chunk);
  sum_chunks<<<1, chunk>>>(device_input.data(), output.data(), n);
  std::vector<float> expected(chunk, 0.0f);
  for (int i = 0; i < n; ++i) expected[chunk - 1 - i % chunk] += input[i];
  report.expect_equal("sums", output.download(), expected);
}

CORPUS_CASE(tiles_copy_ahead) {
  const int chunks = 5;
  const auto input = corpus::numbers(chunks * 64, 2);
  const corpus::DeviceArray<float> device_input(input), output(chunks * 64);
  double_buffered<<<1, 64>>>(device_input.data(), output.data(), chunks);
  std::vector<float> expected(chunks * 64);
  for (int i = 0; i < chunks * 64; ++i) expected[i] = input[i / 32 * 32 + 31 - i % 32] * 2.0f;
  report.expect_equal("doubled", output.download(), expected);
}

CORPUS_CASE(a_pipeline_of_two_stages) {
  const int chunks = 4;
  const auto input = corpus::numbers(chunks * 64 * 4, 3);
  const corpus::DeviceArray<float> device_input(input), output(input.size());
  pipelined<<<1, 64>>>(reinterpret_cast<const float4*>(device_input.data()),
                       reinterpret_cast<float4*>(output.data()), chunks);
  std::vector<float> expected(input.size());
  for (int i = 0; i < chunks * 256; ++i) expected[i] = input[i / 256 * 256 + 255 - i % 256];
  report.expect_equal("reversed", output.download(), expected);
}

CORPUS_CASE(copies_fill_with_zeros) {
  const int n = 150;
  std::vector<int> input(n), expected(256, 0);
  for (int i = 0; i < n; ++i) input[i] = expected[i] = i + 1;
  const corpus::DeviceArray<int> device_input(input), output(256);
  filled_with_zeros<<<1, 64>>>(device_input.data(), output.data(), n);
  report.expect_equal("copied", output.download(), expected);
}
