// What the language around kernels offers, in device code.
#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

#include "corpus.h"

using namespace std;

// Names that C++20 puts into std: code for C++17 has its own.
__host__ __device__ inline float lerp(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ inline float midpoint(float a, float b) { return lerp(a, b, 0.5f); }

namespace {

// Names that CUDA has as well, hidden or beside them.
struct Launch {
  int index, y0, j1;
};
int launch(int n) { return n + 1; }

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__constant__ int offset;
__device__ int device_value = 5;
static __device__ float device_table[2][2] = {{1, 2}, {3, 4}};
__device__ __constant__ const int primes[] = {2, 3, 5, 7};
__managed__ int managed_value = 3;
inline constexpr int shared_by_both = 6;

struct Settings {
  float scale;
  int shift;
};
__constant__ Settings settings;

__global__ void uses_variables(float* out, float* __restrict__ copy, const float* const __restrict__ in) {
  const int i = threadIdx.x;
  out[i] = weights[i % 3] * in[i] + offset + device_value + device_table[i % 2][1] + primes[i % 4] +
           managed_value + 11 + shared_by_both + settings.scale * settings.shift;
  copy[i] = lerp(1.0f, 2.0f, 0.5f) + midpoint(0.0f, 1.0f);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int not_inlined(int x) { return x * 3; }
__forceinline__ __device__ int inlined(int x) { return x * 5; }
static __device__ __forceinline__ int inlined_too(int x) { return x * 7; }
__host__ __device__ constexpr int on_both(int x) { return x * 11; }
__device__ auto deduced(int x) -> decltype(x * 2.0f) { return x * 0.5f; }

__global__ void __launch_bounds__(32) calls_functions(float* out) {
  const int i = threadIdx.x;
  out[i] = fibonacci(i) + not_inlined(i) + inlined(i) + inlined_too(i) + on_both(i) + deduced(i);
}

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
class Square : public Shape {
 public:
  __device__ explicit Square(int side) : side_(side) {}
  __device__ int area() const override { return side_ * side_; }

 private:
  int side_;
};
class Strip final : public Shape {
 public:
  __device__ int area() const override { return 2; }
};

struct Fields {
  unsigned int low : 4, high : 12;
  signed int sign : 2;
};

__global__ __launch_bounds__(64, 1) void uses_classes(int* out) {
  const Square square(threadIdx.x);
  const Strip strip;
  const Shape* const shapes[] = {&square, &strip};
  Fields fields{};
  fields.low = threadIdx.x + 15;
  fields.high = 4095;
  fields.sign = -1;
  union {
    float value;
    unsigned char bytes[4];
  } word;
  word.value = 1.0f;
  int sum = word.bytes[3] + fields.low + fields.high + fields.sign;
  for (const Shape* const shape : shapes) sum += shape->area();
  out[threadIdx.x] = sum;
}

__global__ void uses_control_flow(int* out, int n) {
  int value = 0, step = 0;
again:
  switch (threadIdx.x % 4) {
    case 0:
      value += 1;
    case 1:
      value += 10;
      break;
    case 2: {
      const int local = 100;
      value += local;
      break;
    }
    default:
      value += 1'000;
  }
  if (++step < 2) goto again;
#pragma unroll
  for (int i = 0; i < 2; ++i) value += i;
#pragma unroll 4
  for (int i = 0; i < n; ++i) value += i;
#pragma unroll(2)
  for (int i = 0; i < n; i++) {
    if (i == 1) continue;
    value -= i;
  }
  _Pragma("unroll") for (int i = 0; i < 1; ++i) value += 5;
#pragma unroll 1
  while (n-- > 0) ++value;
  asm volatile("");
  do {
    --value;
  } while (++step < 3);
  out[threadIdx.x] = value;
}

__global__ void changes_its_parameters(const int* in, int* out, int n) {
  in += n;
  out += threadIdx.x;
  for (n = 0; n < 3; n++, in++) *out += *in;
}

template <typename T>
__device__ T fold(const T* first, const T* last) {
  T sum{};
  for (; first != last; sum += *first++) {
  }
  return sum;
}

__global__ void uses_modern_forms(int* out) {
  constexpr int table[] = {1, 2, 3};
  struct Point {
    int x, y = 4;
  };
  const auto [x, y] = Point{3};
  auto counter = [n = 0]() mutable { return ++n; };
  int sum = fold(table, table + 3) + x * y + counter() + counter();
  if (const int twice = sum * 2; twice > sum) sum = twice;
  if constexpr (sizeof(int) == 4) sum += 1;
  for (auto& value : {1, 2}) sum += value;
  static_assert(alignof(float4) == 16);
  out[threadIdx.x] = sum + u8"a"[0] + R"x(()")x"[0];
}

// An aggregate that C++20 takes for none.
struct Defaulted {
  Defaulted() = default;
  int a, b;
};

}  // namespace

CORPUS_CASE(reads_device_and_constant_variables) {
  const int host_offset = 100;
  const Settings host_settings = {0.5f, 4};
  cudaMemcpyToSymbol(offset, &host_offset, sizeof offset);
  cudaMemcpyToSymbol(settings, &host_settings, sizeof settings);
  managed_value = 4;
  const auto in = corpus::numbers(8, 1);
  const corpus::DeviceArray<float> device_in(in), out(8), copy(8);
  uses_variables<<<1, 8>>>(out.data(), copy.data(), device_in.data());
  std::vector<float> expected(8);
  const float host_weights[] = {0.25f, 0.5f, 0.25f}, table[] = {2, 4};
  const int host_primes[] = {2, 3, 5, 7};
  for (int i = 0; i < 8; ++i) {
    expected[i] = host_weights[i % 3] * in[i] + 100 + 5 + table[i % 2] + host_primes[i % 4] + 4 + 11 + 6 + 2;
  }
  report.expect_equal("values", out.download(), expected);
  report.expect_equal("own functions", copy.download(), std::vector<float>(8, 2.0f));
}

CORPUS_CASE(calls_device_functions) {
  const corpus::DeviceArray<float> out(8);
  calls_functions<<<1, 8>>>(out.data());
  const int fibonacci_numbers[] = {0, 1, 1, 2, 3, 5, 8, 13};
  std::vector<float> expected(8);
  for (int i = 0; i < 8; ++i) expected[i] = fibonacci_numbers[i] + i * (3 + 5 + 7 + 11) + i * 0.5f;
  report.expect_equal("values", out.download(), expected);
}

CORPUS_CASE(dispatches_virtual_functions_and_packs_bits) {
  const corpus::DeviceArray<int> out(4);
  uses_classes<<<1, 4>>>(out.data());
  std::vector<int> expected(4);
  for (int i = 0; i < 4; ++i) expected[i] = 63 + (i + 15) % 16 + 4095 - 1 + i * i + 2;
  report.expect_equal("values", out.download(), expected);
}

CORPUS_CASE(follows_control_flow) {
  const corpus::DeviceArray<int> out(4);
  uses_control_flow<<<1, 4>>>(out.data(), 5);
  const int rest = 1 + 10 - 9 + 5 + 5 - 1;
  report.expect_equal("values", out.download(),
                      std::vector<int>{22 + rest, 20 + rest, 200 + rest, 2000 + rest});
}

CORPUS_CASE(gives_each_thread_its_own_parameters) {
  const corpus::DeviceArray<int> in(std::vector<int>{9, 1, 2, 4}), out(std::vector<int>{0, 0, 0});
  changes_its_parameters<<<1, 3>>>(in.data(), out.data(), 1);
  report.expect_equal("values", out.download(), std::vector<int>{7, 7, 7});
}

CORPUS_CASE(takes_the_forms_of_later_standards) {
  const corpus::DeviceArray<int> out(1);
  uses_modern_forms<<<1, 1>>>(out.data());
  report.expect_equal("value", out.download()[0], (6 + 12 + 3) * 2 + 1 + 3 + 'a' + '(');
}

CORPUS_CASE(lets_host_code_use_names_of_the_device) {
  const Launch names = {1, 2, 3};
  const dim3 blockDim(4), gridDim(2);
  const int threadIdx = 3, warpSize = launch(31), index = names.index;
  const Defaulted defaulted{1, 2};
  report.expect_equal("names", static_cast<int>(blockDim.x * gridDim.x) + threadIdx + warpSize + index,
                      8 + 3 + 32 + 1);
  report.expect_equal("std", max(defaulted.a, defaulted.b) + min(3, 4), 5);
}
