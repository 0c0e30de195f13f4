// libcu++ in kernels: barriers, pipelines and atomics of a block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

#include "corpus.h"

namespace cg = cooperative_groups;

namespace {

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void arrive_then_wait(const int* input, int* output) {
  __shared__ block_barrier barrier;
  __shared__ int staged[128];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  for (int round = 0; round < 3; ++round) {
    staged[threadIdx.x] = input[threadIdx.x] + round;
    block_barrier::arrival_token token = barrier.arrive();
    const int own = round * 1000;
    barrier.wait(std::move(token));
    output[round * 128 + threadIdx.x] = own + staged[127 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

__global__ void copy_with_a_barrier(const float* input, float* output, int n) {
  __shared__ block_barrier barrier;
  __shared__ float staged[64];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  for (int begin = 0; begin < n; begin += 64) {
    cuda::memcpy_async(block, staged, input + begin, sizeof(float) * 64, barrier);
    barrier.arrive_and_wait();
    output[begin + threadIdx.x] = staged[63 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

__global__ void two_stages(const float* input, float* output, int chunks) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ alignas(16) float staged[stages][64];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int fetched = 0;
  for (int i = 0; i < chunks; ++i) {
    for (; fetched < chunks && fetched < i + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, staged[fetched % stages], input + fetched * 64,
                         cuda::aligned_size_t<16>(sizeof(float) * 64), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    output[i * 64 + threadIdx.x] = staged[i % stages][63 - threadIdx.x] + 1.0f;
    pipe.consumer_release();
  }
}

__global__ void own_pipeline(const float4* input, float4* output) {
  __shared__ float4 staged[32];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&staged[threadIdx.x], &input[threadIdx.x], cuda::aligned_size_t<16>(16), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  output[threadIdx.x] = staged[threadIdx.x];
  pipe.consumer_release();
}

// The first warp produces, the others consume.
__global__ void producers_and_consumers(const int* input, int* output, int chunks) {
  __shared__ block_barrier full[2], empty[2];
  __shared__ int staged[2][32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], block.size());
      init(&empty[i], block.size());
    }
  }
  block.sync();
  if (threadIdx.x < 32) {
    for (int i = 0; i < chunks; ++i) {
      empty[i % 2].arrive_and_wait();
      staged[i % 2][threadIdx.x] = input[i * 32 + threadIdx.x] * 3;
      (void)full[i % 2].arrive();
    }
  } else {
    for (int i = 0; i < 2; ++i) (void)empty[i].arrive();
    for (int i = 0; i < chunks; ++i) {
      full[i % 2].arrive_and_wait();
      if (threadIdx.x < 64) output[i * 32 + threadIdx.x - 32] = staged[i % 2][63 - threadIdx.x];
      if (i + 2 < chunks) (void)empty[i % 2].arrive();
    }
  }
}

__global__ void count_atomically(cuda::atomic<int, cuda::thread_scope_device>* counter, float* sum,
                                 int* most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  counter->fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f);
  cuda::atomic_ref<int, cuda::thread_scope_device> largest(*most);
  largest.fetch_max(i % 71);
  static_assert(cuda::std::is_same<cuda::std::remove_const<const int>::type, int>::value, "");
  if (i == 0) counter->fetch_sub(cuda::std::numeric_limits<int>::max() % 2);
}

}  // namespace

CORPUS_CASE(barriers_in_two_steps) {
  std::vector<int> input(128), expected(3 * 128);
  for (int i = 0; i < 128; ++i) input[i] = i * 3;
  for (int i = 0; i < 3 * 128; ++i) expected[i] = i / 128 * 1001 + input[127 - i % 128];
  const corpus::DeviceArray<int> device_input(input), output(3 * 128);
  arrive_then_wait<<<1, 128>>>(device_input.data(), output.data());
  report.expect_equal("rounds", output.download(), expected);
}

template <class Launch>
static void expect_reversed_chunks(corpus::Report& report, float added, Launch launch) {
  const auto input = corpus::numbers(5 * 64, 1);
  std::vector<float> expected(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) expected[i] = input[i / 64 * 64 + 63 - i % 64] + added;
  const corpus::DeviceArray<float> device_input(input), output(input.size());
  launch(device_input.data(), output.data());
  report.expect_equal("reversed", output.download(), expected);
}

CORPUS_CASE(copies_that_a_barrier_waits_for) {
  expect_reversed_chunks(report, 0.0f, [](const float* input, float* output) {
    copy_with_a_barrier<<<1, 64>>>(input, output, 5 * 64);
  });
}

CORPUS_CASE(a_pipeline_of_a_block) {
  expect_reversed_chunks(report, 1.0f,
                         [](const float* input, float* output) { two_stages<<<1, 64>>>(input, output, 5); });
}

CORPUS_CASE(a_pipeline_of_a_thread) {
  const auto input = corpus::numbers(128, 2);
  const corpus::DeviceArray<float> device_input(input), output(128);
  own_pipeline<<<1, 32>>>(reinterpret_cast<const float4*>(device_input.data()),
                          reinterpret_cast<float4*>(output.data()));
  report.expect_equal("copied", output.download(), input);
}

CORPUS_CASE(warps_with_different_roles) {
  const int chunks = 7;
  std::vector<int> input(chunks * 32), expected(chunks * 32);
  for (int i = 0; i < chunks * 32; ++i) input[i] = i * i;
  for (int i = 0; i < chunks * 32; ++i) expected[i] = input[i / 32 * 32 + 31 - i % 32] * 3;
  const corpus::DeviceArray<int> device_input(input), output(chunks * 32);
  producers_and_consumers<<<1, 128>>>(device_input.data(), output.data(), chunks);
  report.expect_equal("tripled", output.download(), expected);
}

CORPUS_CASE(atomics_of_the_core_libraries) {
  using Counter = cuda::atomic<int, cuda::thread_scope_device>;
  const corpus::DeviceArray<int> counter(std::vector<int>{0}), most(std::vector<int>{-5});
  const corpus::DeviceArray<float> sum(std::vector<float>{1.0f});
  count_atomically<<<8, 100>>>(reinterpret_cast<Counter*>(counter.data()), sum.data(), most.data());
  report.expect_equal("count", counter.download()[0], 1599);
  report.expect_equal("sum", sum.download()[0], 401.0f);
  report.expect_equal("most", most.download()[0], 70);
}
