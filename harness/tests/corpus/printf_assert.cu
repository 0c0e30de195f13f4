// Output and assertions of kernels, and whatever else a kernel may print: none of it changes results.
#include <assert.h>

#include "device_map.h"

namespace {

__global__ void print_and_square(int* values) {
  const int i = threadIdx.x;
  assert(i < 32);
  assert(values != nullptr && "memory is there");
  const int printed = printf("thread %d of %s: %5.2f %c %x\n", i, "a kernel", i * 0.5, 'a' + i, i);
  values[i] = printed > 0 ? i * i : -1;
}

__global__ void look_at_the_clock(int* ordered, int* in_range) {
  const long long before = clock64();
  const auto tick = clock();
  __nanosleep(20);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __prof_trigger(0);
  ordered[threadIdx.x] = clock64() >= before && clock() != tick - 1;
  __shared__ int shared[32];
  shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  __builtin_assume(shared[threadIdx.x] >= 0);
  in_range[threadIdx.x] = __isShared(&shared[threadIdx.x]) && !__isShared(ordered) &&
                          __builtin_expect(shared[31 - threadIdx.x] == 31 - int(threadIdx.x), 1);
}

}  // namespace

CORPUS_CASE(prints_and_asserts) {
  const corpus::DeviceArray<int> values(32);
  print_and_square<<<1, 32>>>(values.data());
  report.expect_equal("squares", values.download(), corpus::on_host<int>(32, [](int i) { return i * i; }));
}

CORPUS_CASE(reads_clocks_and_fences) {
  const corpus::DeviceArray<int> ordered(32), in_range(32);
  look_at_the_clock<<<1, 32>>>(ordered.data(), in_range.data());
  report.expect_equal("clock", ordered.download(), std::vector<int>(32, 1));
  report.expect_equal("shared", in_range.download(), std::vector<int>(32, 1));
}

// What code for several compilers asks: nvcc's version is known, and the runtime's.
CORPUS_CASE(knows_its_compiler) {
#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 12 && CUDART_VERSION >= 12000
  report.expect_equal("warp size", corpus::on_device<int>(1, [] __device__(int) { return warpSize; }),
                      std::vector<int>{32});
#else
  report.fail("the compiler's macros are missing");
#endif
}
