// __forceinline__ on functions that other files could see, and where a host compiler cannot do as it says.
#include "corpus.h"

__device__ __forceinline__ int twice(int x) { return x + x; }
__forceinline__ __device__ int thrice(int x) { return x * 3; }
extern "C" __device__ __forceinline__ int four_times(int x) { return x * 4; }
__attribute__((always_inline)) __device__ int five_times(int x) { return x * 5; }
[[gnu::always_inline]] __host__ __device__ int six_times(int x) { return x * 6; }

__device__ __forceinline__ int sum_below(int n) { return n <= 0 ? 0 : n - 1 + sum_below(n - 1); }

__device__ __forceinline__ bool is_odd(int n);
__device__ __forceinline__ bool is_even(int n) { return n == 0 || is_odd(n - 1); }
__device__ __forceinline__ bool is_odd(int n) { return n != 0 && is_even(n - 1); }

__device__ __forceinline__ int defined_below(int x);

using Operation = int (*)(int);
template <class F>
__device__ __forceinline__ int apply(F f, int x) {
  return f(x);
}

struct Base {
  __device__ virtual int of(int x) const = 0;
};
struct Scale : Base {
  __device__ __forceinline__ int of(int x) const override { return x * 7; }
  __device__ __forceinline__ int declared_here(int x) const;
};

__global__ void call_each(int* out) {
  const int i = threadIdx.x;
  out[i] = twice(i) + thrice(i) + four_times(i) + five_times(i) + six_times(i);
}

__global__ void call_themselves(int* out) {
  const int i = threadIdx.x;
  out[i] = sum_below(i) + (is_even(i) ? 100 : 0);
}

__global__ void call_indirectly(int* out) {
  const int i = threadIdx.x;
  const Operation operations[2] = {twice, thrice};
  const Scale scale;
  const Base* const base = &scale;
  const auto closure = [] __device__(int x) { return defined_below(x); };
  out[i] = apply(operations[i % 2], i) + apply(twice, i) + base->of(i) + scale.declared_here(i) + closure(i);
}

__device__ __forceinline__ int defined_below(int x) {
  int values[4];
  for (int i = 0; i < 4; ++i) values[i] = x + i;
  return values[0] + values[3];
}

__device__ __forceinline__ int Scale::declared_here(int x) const { return x * 8; }

CORPUS_CASE(calls_functions_that_other_files_could_see) {
  const corpus::DeviceArray<int> out(4);
  call_each<<<1, 4>>>(out.data());
  report.expect_equal("sums", out.download(), std::vector<int>{0, 20, 40, 60});
}

CORPUS_CASE(calls_functions_that_call_themselves) {
  const corpus::DeviceArray<int> out(5);
  call_themselves<<<1, 5>>>(out.data());
  report.expect_equal("values", out.download(), std::vector<int>{100, 0, 101, 3, 106});
}

CORPUS_CASE(calls_through_pointers_tables_and_closures) {
  const corpus::DeviceArray<int> out(4);
  call_indirectly<<<1, 4>>>(out.data());
  report.expect_equal("values", out.download(), std::vector<int>{3, 25, 45, 69});
}
