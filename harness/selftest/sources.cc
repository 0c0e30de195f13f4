#include "selftest/sources.h"

namespace kgrade::selftest {
namespace {

// The bytes are those of the shortest kernel's work: so none looks too fast.
constexpr std::string_view problem = R"problem(---
slug: kgrade-selftest
title: "Kernels of a known length"
difficulty: EASY
tags: [selftest]
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [n], init: "uniform(0, 1)"}
  - {name: source, type: "[VAR]", pointer: true, const: true, shape: [m], init: "uniform(0, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: size_t, pointer: false, const: false}
  - {name: m, type: size_t, pointer: false, const: false}
  - {name: kind, type: size_t, pointer: false, const: false}
  - {name: blocks, type: size_t, pointer: false, const: false}
  - {name: length, type: size_t, pointer: false, const: false}
  - {name: one, type: float, pointer: false, const: false}
  - {name: zero, type: float, pointer: false, const: false}
dtypes: [float32]
precision: fp32
bytes: 8 * n
---
The output is the input, after an amount of work that a parameter sets.
)problem";

constexpr std::string_view kernels =
    R"cuda(// Kernels that give back their input after `length` units of work.
__global__ void nothing() {}

// Four chains of multiply-adds in each thread. That the factor is 1 and the summand 0 is known when it runs,
// and not before: the compiler has to leave them as they are.
__global__ void arithmetic(const float* input, float* output, size_t n, size_t length, float one, float zero) {
  const size_t threads = size_t{gridDim.x} * blockDim.x;
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + 3 * threads >= n) return;
  float a = input[i];
  float b = input[i + threads];
  float c = input[i + 2 * threads];
  float d = input[i + 3 * threads];
#pragma unroll 1
  for (size_t unit = 0; unit < length; ++unit) {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      a = one * a + zero;
      b = one * b + zero;
      c = one * c + zero;
      d = one * d + zero;
    }
  }
  output[i] = a;
  output[i + threads] = b;
  output[i + 2 * threads] = c;
  output[i + 3 * threads] = d;
}

// Where a thread goes on, from the start again after the last one of so many.
__device__ size_t following(size_t place, size_t step, size_t fours) {
  place += step;
  return place < fours ? place : place - fours;
}

__device__ float sum_of(float4 four) { return (four.x + four.y) + (four.z + four.w); }

// All threads together read `length` times four elements; there are no fewer of these fours than threads. Each
// thread has four of its reads on the way at a time, the last ones too: fewer would not use all of the
// bandwidth, and a little more work would not take a little more time.
__global__ void read_through(const float* input, const float4* source, float* output, size_t n, size_t fours,
                             size_t length, float zero) {
  const size_t threads = size_t{gridDim.x} * blockDim.x;
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 none = make_float4(0, 0, 0, 0);
  float sum = 0;
  size_t place = i;
  for (size_t done = i; done < length; done += 4 * threads) {
    const size_t second = following(place, threads, fours);
    const size_t third = following(second, threads, fours);
    const size_t fourth = following(third, threads, fours);
    const float4 a = source[place];
    const float4 b = done + threads < length ? source[second] : none;
    const float4 c = done + 2 * threads < length ? source[third] : none;
    const float4 d = done + 3 * threads < length ? source[fourth] : none;
    sum += (sum_of(a) + sum_of(b)) + (sum_of(c) + sum_of(d));
    place = following(fourth, threads, fours);
  }
  output[i] = input[i] + zero * sum;
}

// The same with copies in place of sums. `length` is at least one whole pass.
__global__ void copy_through(const float4* __restrict__ input, float4* __restrict__ output, size_t fours,
                             size_t length) {
  const size_t threads = size_t{gridDim.x} * blockDim.x;
  const float4 none = make_float4(0, 0, 0, 0);
  size_t place = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (size_t done = place; done < length; done += 4 * threads) {
    const size_t second = following(place, threads, fours);
    const size_t third = following(second, threads, fours);
    const size_t fourth = following(third, threads, fours);
    const bool has_second = done + threads < length;
    const bool has_third = done + 2 * threads < length;
    const bool has_fourth = done + 3 * threads < length;
    const float4 a = input[place];
    const float4 b = has_second ? input[second] : none;
    const float4 c = has_third ? input[third] : none;
    const float4 d = has_fourth ? input[fourth] : none;
    output[place] = a;
    if (has_second) output[second] = b;
    if (has_third) output[third] = c;
    if (has_fourth) output[fourth] = d;
    place = following(fourth, threads, fours);
  }
}

// Kernels are loaded when they are launched first, which takes time and may wait for the device: the first
// call of a process launches them all.
static void load_all(const float* input, const float* source, float* output) {
  static bool loaded = false;
  if (loaded) return;
  loaded = true;
  nothing<<<1, 1>>>();
  arithmetic<<<1, 1>>>(input, output, 0, 0, 1, 0);
  read_through<<<1, 1>>>(input, reinterpret_cast<const float4*>(source), output, 0, 1, 0, 0);
  copy_through<<<1, 1>>>(reinterpret_cast<const float4*>(input), reinterpret_cast<float4*>(output), 1, 0);
}

extern "C" void solution(const float* input, const float* source, float* output, size_t n, size_t m,
                         size_t kind, size_t blocks, size_t length, float one, float zero) {
  load_all(input, source, output);
  const unsigned int grid = static_cast<unsigned int>(blocks);
  if (kind == 0) nothing<<<1, 1>>>();
  if (kind == 1) arithmetic<<<grid, 128>>>(input, output, n, length, one, zero);
  if (kind == 2) {
    read_through<<<grid, 256>>>(input, reinterpret_cast<const float4*>(source), output, n, m / 4, length, zero);
  }
  if (kind == 3) {
    copy_through<<<grid, 256>>>(reinterpret_cast<const float4*>(input), reinterpret_cast<float4*>(output), n / 4, length);
  }
}
)cuda";

}  // namespace

std::string_view problem_text() { return problem; }
std::string_view kernels_text() { return kernels; }

}  // namespace kgrade::selftest
