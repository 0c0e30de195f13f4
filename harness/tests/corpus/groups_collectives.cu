// Cooperative groups: coalesced threads, partitions by value, reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>

#include "corpus.h"

namespace cg = cooperative_groups;

namespace {

__device__ int take_ticket(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(active.size()));
  return active.shfl(first, 0) + active.thread_rank();
}

__global__ void keep_positive(const float* input, float* output, int* kept, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && input[i] > 0.0f) output[take_ticket(kept)] = input[i];
}

__global__ void coalesced_operations(int* output) {
  if (threadIdx.x % 3 != 1) return;
  const auto group = cg::coalesced_threads();
  const int rank = group.thread_rank();
  int* const row = output + threadIdx.x * 6;
  row[0] = group.num_threads() * 100 + rank;
  row[1] = group.shfl_down(rank, 2);
  row[2] = group.shfl_up(rank, 1);
  row[3] = group.ballot(rank % 2);
  const auto pairs = cg::tiled_partition(group, 2);
  row[4] = pairs.thread_rank() + 10 * pairs.meta_group_rank() + 100 * pairs.size();
  row[5] = group.match_any(rank / 4);
}

struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <unsigned Width>
__global__ void reductions(const int* input, int* output) {
  const auto tile = cg::tiled_partition<Width>(cg::this_thread_block());
  const int value = input[threadIdx.x];
  int* const row = output + threadIdx.x * 8;
  row[0] = cg::reduce(tile, value, cg::plus<int>());
  row[1] = cg::reduce(tile, value, cg::less<int>());
  row[2] = cg::reduce(tile, value, cg::greater<int>());
  row[3] = cg::reduce(tile, value, cg::bit_and<int>());
  row[4] = cg::reduce(tile, value, cg::bit_or<int>());
  row[5] = cg::reduce(tile, value, cg::bit_xor<int>());
  row[6] = cg::reduce(tile, value, [](int a, int b) { return (a + b) % 1009; });
  row[7] = cg::reduce(tile, value, Larger());
}

struct Best {
  double score;
  int index;
};

__global__ void best_of_tile(const int* input, Best* output) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const Best own{input[threadIdx.x] * 0.5, static_cast<int>(threadIdx.x)};
  const Best best = cg::reduce(tile, own, [](const Best& a, const Best& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index) ? a : b;
  });
  if (tile.thread_rank() == 0) output[tile.meta_group_rank()] = best;
}

__global__ void scans(const int* input, int* output) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int value = input[threadIdx.x];
  output[threadIdx.x * 4] = cg::inclusive_scan(tile, value);
  output[threadIdx.x * 4 + 1] = cg::exclusive_scan(tile, value);
  output[threadIdx.x * 4 + 2] = cg::inclusive_scan(tile, value, cg::greater<int>());
  output[threadIdx.x * 4 + 3] = cg::exclusive_scan(tile, value, cg::plus<int>());
}

__global__ void partitions(const int* input, int* output) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int value = input[threadIdx.x];
  const auto half = cg::binary_partition(tile, value % 2 == 1);
  output[threadIdx.x * 3] = cg::reduce(half, value, cg::plus<int>());
  const auto equal = cg::labeled_partition(tile, value % 5);
  output[threadIdx.x * 3 + 1] = equal.num_threads() * 100 + equal.thread_rank();
  output[threadIdx.x * 3 + 2] = cg::reduce(equal, value, cg::plus<int>());
}

__global__ void one_for_all(int* output) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int* const counter = output + 64;
  cg::invoke_one(tile, [&] { atomicAdd(counter, 1); });
  output[threadIdx.x] = cg::invoke_one_broadcast(tile, [&]() -> int { return tile.meta_group_rank() * 7; });
}

std::vector<int> whole_numbers(int count) {
  std::vector<int> result(count);
  for (int i = 0; i < count; ++i) result[i] = i * i * 7 % 113 + 1;
  return result;
}

}  // namespace

CORPUS_CASE(atomics_of_coalesced_threads) {
  const int n = 1000;
  const auto input = corpus::numbers(n, 1);
  const corpus::DeviceArray<float> device_input(input), output(n);
  const corpus::DeviceArray<int> kept(std::vector<int>{0});
  keep_positive<<<(n + 127) / 128, 128>>>(device_input.data(), output.data(), kept.data(), n);
  std::vector<float> expected;
  for (const float value : input) {
    if (value > 0.0f) expected.push_back(value);
  }
  const auto count = static_cast<std::size_t>(kept.download()[0]);
  report.expect_equal("count", count, expected.size());
  auto actual = output.download();
  actual.resize(expected.size());
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  report.expect_equal("kept values", actual, expected);
}

CORPUS_CASE(coalesced_groups_count_by_rank) {
  corpus::DeviceArray<int> output(32 * 6);
  output.set_bytes(0);
  coalesced_operations<<<1, 32>>>(output.data());
  std::vector<int> expected(32 * 6, 0);
  for (int i = 1, rank = 0; i < 32; i += 3, ++rank) {
    int same = 0;
    for (int j = 0; j < 11; ++j) same |= (j / 4 == rank / 4) << j;
    const int row[6] = {1100 + rank,
                        rank + 2 < 11 ? rank + 2 : rank,
                        rank > 0 ? rank - 1 : rank,
                        0x2aa,
                        rank % 2 + 10 * (rank / 2) + 100 * (rank == 10 ? 1 : 2),
                        same};
    std::copy(row, row + 6, expected.begin() + i * 6);
  }
  report.expect_equal("operations", output.download(), expected);
}

CORPUS_CASE(reduces_with_every_operator) {
  const auto input = whole_numbers(64);
  const corpus::DeviceArray<int> device_input(input), output(64 * 8);
  reductions<16><<<1, 64>>>(device_input.data(), output.data());
  std::vector<int> expected(64 * 8);
  for (int i = 0; i < 64; ++i) {
    int row[8] = {0, 1000000, 0, -1, 0, 0, 0, 0};
    for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) {
      row[0] += input[j];
      row[1] = std::min(row[1], input[j]);
      row[2] = row[7] = std::max(row[2], input[j]);
      row[3] &= input[j];
      row[4] |= input[j];
      row[5] ^= input[j];
      row[6] = (row[6] + input[j]) % 1009;
    }
    std::copy(row, row + 8, expected.begin() + i * 8);
  }
  report.expect_equal("reductions", output.download(), expected);
}

CORPUS_CASE(reduces_objects) {
  const auto input = whole_numbers(64);
  const corpus::DeviceArray<int> device_input(input);
  const corpus::DeviceArray<Best> output(4);
  best_of_tile<<<1, 64>>>(device_input.data(), output.data());
  const auto actual = output.download();
  for (int tile = 0; tile < 4; ++tile) {
    const auto begin = input.begin() + tile * 16;
    const auto best = std::max_element(begin, begin + 16);
    report.expect_equal("index", actual[tile].index, static_cast<int>(best - input.begin()));
    report.expect_equal("score", actual[tile].score, *best * 0.5);
  }
}

CORPUS_CASE(scans_of_tiles) {
  const auto input = whole_numbers(64);
  const corpus::DeviceArray<int> device_input(input), output(64 * 4);
  scans<<<1, 64>>>(device_input.data(), output.data());
  std::vector<int> expected(64 * 4);
  for (int i = 0; i < 64; ++i) {
    int sum = 0, most = 0;
    for (int j = i / 8 * 8; j <= i; ++j) {
      sum += input[j];
      most = std::max(most, input[j]);
    }
    const int row[4] = {sum, sum - input[i], most, sum - input[i]};
    std::copy(row, row + 4, expected.begin() + i * 4);
  }
  report.expect_equal("scans", output.download(), expected);
}

CORPUS_CASE(partitions_by_value) {
  const auto input = whole_numbers(64);
  const corpus::DeviceArray<int> device_input(input), output(64 * 3);
  partitions<<<1, 64>>>(device_input.data(), output.data());
  std::vector<int> expected(64 * 3, 0);
  for (int i = 0; i < 64; ++i) {
    int* const row = expected.data() + i * 3;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
      if (input[j] % 2 == input[i] % 2) row[0] += input[j];
      if (input[j] % 5 != input[i] % 5) continue;
      row[1] += j < i ? 101 : 100;
      row[2] += input[j];
    }
  }
  report.expect_equal("partitions", output.download(), expected);
}

CORPUS_CASE(one_thread_acts_for_all) {
  corpus::DeviceArray<int> output(65);
  output.set_bytes(0);
  one_for_all<<<1, 64>>>(output.data());
  std::vector<int> expected(65, 8);
  for (int i = 0; i < 64; ++i) expected[i] = i / 8 * 7;
  report.expect_equal("results", output.download(), expected);
}
