#include "selftest/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace kgrade::selftest {
namespace {

// `bytes` is the work of the shortest kernel, so that no kernel seems too fast.
constexpr std::string_view problem_source = R"problem(---
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

constexpr std::string_view kernels_source =
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

// Threads per block and elements per thread, as in the source above.
constexpr std::int64_t arithmetic_threads = 128;
constexpr std::int64_t arithmetic_elements = 4;
constexpr std::int64_t memory_threads = 256;
constexpr std::int64_t memory_elements = 4;
// One block of arithmetic fills a multiprocessor's pipelines. Keeping its memory busy takes more blocks.
constexpr std::int64_t memory_blocks = 4;

constexpr std::uint64_t element_bytes = sizeof(float);
// In a tensor this many times as large as the L2 cache, nothing of one pass is left in the cache when the
// next begins.
constexpr double source_caches = 8;
constexpr double copy_caches = 4;
// The size of the tensor as a share of the bytes that the nominal bandwidth moves within the kernel's time. A
// read must not start over before the calibration's longest run ends. A copy must make at least two passes.
constexpr double source_share = 1.6;
constexpr double copy_share = 0.25;
// The limit for one tensor. There are three contestants with several tensors each.
constexpr std::uint64_t most_of_memory = 32;

std::int64_t rounded_up(double value, std::int64_t step) {
  return (static_cast<std::int64_t>(value) + step - 1) / step * step;
}

// The number of elements in a tensor that a kernel streams through.
std::int64_t streamed(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes,
                      std::int64_t threads) {
  const std::int64_t least = threads * memory_elements;
  if (!device.measures_speed) return least;
  const bool copies = kernel.kind == Kind::copy;
  double bytes = (copies ? copy_caches : source_caches) * static_cast<double>(device.l2_bytes);
  if (device.peak_bytes_per_second > 0) {
    const double within_time = device.peak_bytes_per_second * kernel.target_ms / 1000;
    bytes = std::min(bytes, (copies ? copy_share : source_share) * within_time);
  }
  bytes = std::min(bytes, static_cast<double>(free_bytes / most_of_memory));
  return std::max(least, rounded_up(bytes / element_bytes, memory_elements));
}

}  // namespace

std::vector<Kernel> all_kernels() {
  return {{"arithmetic-3us", Kind::arithmetic, 0.003},
          {"arithmetic-5us", Kind::arithmetic, 0.005},
          {"read-10us", Kind::read, 0.010},
          {"arithmetic-20us", Kind::arithmetic, 0.020},
          {"read-50us", Kind::read, 0.050},
          {"arithmetic-100us", Kind::arithmetic, 0.100},
          {"copy-500us", Kind::copy, 0.500},
          {"arithmetic-1ms", Kind::arithmetic, 1},
          {"copy-10ms", Kind::copy, 10},
          {"arithmetic-100ms", Kind::arithmetic, 100}};
}

Result<std::vector<Kernel>> select_kernels(const std::vector<std::string>& patterns) {
  const std::vector<Kernel> all = all_kernels();
  if (patterns.empty()) return all;
  const auto matches = [](const std::string& pattern, const Kernel& kernel) {
    return ::fnmatch(pattern.c_str(), kernel.name.c_str(), 0) == 0;
  };
  for (const std::string& pattern : patterns) {
    if (std::any_of(all.begin(), all.end(), [&](const Kernel& k) { return matches(pattern, k); })) continue;
    std::vector<std::string> names;
    for (const Kernel& kernel : all) names.push_back(kernel.name);
    return Error{fmt::format("--kernels: there is no kernel '{}'", pattern),
                 fmt::format("there are {}", fmt::join(names, ", ")),
                 {}};
  }
  std::vector<Kernel> selected;
  for (const Kernel& kernel : all) {
    const auto match = [&](const std::string& pattern) { return matches(pattern, kernel); };
    if (std::any_of(patterns.begin(), patterns.end(), match)) selected.push_back(kernel);
  }
  return selected;
}

std::string_view bound_by(Kind kind) {
  constexpr std::string_view words[] = {"launching", "arithmetic", "memory", "memory"};
  return words[static_cast<int>(kind)];
}

Sizes sizes_of(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes) {
  const std::int64_t multiprocessors = device.measures_speed ? std::max(1, device.multiprocessors) : 1;
  const std::int64_t streaming_blocks = (device.measures_speed ? memory_blocks : 1) * multiprocessors;
  const std::int64_t streaming_threads = streaming_blocks * memory_threads;
  switch (kernel.kind) {
    case Kind::arithmetic:
      return {multiprocessors * arithmetic_threads * arithmetic_elements, memory_elements, multiprocessors,
              0};
    case Kind::read:
      return {streaming_threads, streamed(kernel, device, free_bytes, streaming_threads), streaming_blocks,
              0};
    case Kind::copy: {
      const std::int64_t elements = streamed(kernel, device, free_bytes, streaming_threads);
      return {elements, memory_elements, streaming_blocks, elements / memory_elements};
    }
    case Kind::nothing:
      break;
  }
  return {memory_elements, memory_elements, 1, 0};
}

Problem selftest_problem() {
  auto problem = parse_problem(problem_source, "kgrade-selftest.md");
  if (!problem) throw std::logic_error(to_string(problem.errors()));
  return std::move(*problem);
}

Case case_of(const Problem& problem, const Kernel& kernel, const Sizes& sizes, std::int64_t length) {
  CaseSpec spec;
  spec.name = kernel.name;
  spec.role = CaseRole::bench;
  spec.integers = {{"n", sizes.elements},
                   {"m", sizes.source_elements},
                   {"kind", static_cast<std::int64_t>(kernel.kind)},
                   {"blocks", sizes.blocks},
                   {"length", length}};
  spec.reals = {{"one", 1}, {"zero", 0}};
  auto bound = resolve_case(problem, spec);
  if (!bound) throw std::logic_error(to_string(bound.errors()));
  return std::move(*bound);
}

std::string_view kernels_text() { return kernels_source; }

}  // namespace kgrade::selftest
