// Kernels that keep one part of a device busy and nothing else, and so show its rate. All but the copy repeat
// one instruction on values in registers or shared memory; what they compute is kept alive by a store that
// never happens, which the compiler cannot know.
#pragma once

#include <cstddef>

#include "device/cuda/warp_products.cuh"
#include "device/cuda/warpgroup_products.cuh"

namespace kgrade::cuda {

constexpr int threads_per_block = 256;
constexpr int warps_per_block = threads_per_block / 32;

constexpr int chains = 8;  // independent ones of a thread
constexpr int steps = 32;  // of a chain in one iteration

template <class Real>
__global__ void __launch_bounds__(threads_per_block)
    multiply_add_burst(int iterations, Real factor, Real addend, Real* never) {
  // Of each thread its own, so that they come from registers as every operand of real work does.
  factor -= static_cast<Real>(threadIdx.x) / 1024;
  addend += static_cast<Real>(threadIdx.x) / 1024;
  Real values[chains];
  for (int chain = 0; chain < chains; ++chain) values[chain] = static_cast<Real>(threadIdx.x + chain);
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) values[chain] = fma(values[chain], factor, addend);
    }
  }
  Real total = 0;
  for (int chain = 0; chain < chains; ++chain) total += values[chain];
  if (total == Real{-1}) *never = total;
}

constexpr int warp_tiles = 8;  // independent ones of a warp
constexpr int warp_steps = 8;  // of a tile in one iteration

template <class Product>
__global__ void __launch_bounds__(threads_per_block)
    warp_product_burst(int iterations, typename Product::Sum* never) {
  typename Product::Operand a[Product::a_registers];
  typename Product::Operand b[Product::b_registers];
  typename Product::Sum sums[warp_tiles][Product::sum_registers] = {};
  for (int i = 0; i < Product::a_registers; ++i) a[i] = Product::operand(16 * threadIdx.x + i);
  for (int i = 0; i < Product::b_registers; ++i) b[i] = Product::operand(16 * threadIdx.x + 8 + i);
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int product = 0; product < warp_tiles * warp_steps; ++product) {
      Product::accumulate(sums[product % warp_tiles], a, b);
    }
  }
  typename Product::Sum total = 0;
  for (const auto& tile : sums) {
    for (const auto sum : tile) total += sum;
  }
  // The sums cannot be known from the operands: they go through assembly.
  if (total == typename Product::Sum{12345}) *never = total;
}

constexpr int warpgroup_steps = 16;  // products of a warpgroup before it waits for them

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// A shared-memory operand without a swizzle: cores of 8 rows of 16 bytes, each in 128 bytes of its own, two
// cores along K next to each other. Distances count units of 16 bytes (PTX ISA, "Matrix Descriptor Format").
__device__ std::uint64_t matrix_descriptor(const void* tile) {
  const std::uint64_t address = __cvta_generic_to_shared(tile);
  constexpr std::uint64_t along_k = 128 / 16;
  constexpr std::uint64_t along_rows = 2 * 128 / 16;
  return ((address & 0x3ffff) >> 4) | (along_k << 16) | (along_rows << 32);
}

template <class Product>
__device__ float sum_of_products(int iterations, std::uint64_t a, std::uint64_t b) {
  Sums sums = {};
  for (int i = 0; i < iterations; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < warpgroup_steps; ++step) Product::accumulate(sums, a, b);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < sums_of_a_thread; ++i) {
    asm volatile("" : "+f"(sums[i])::"memory");  // nothing is read before the wait
    total += sums[i];
  }
  return total;
}
#endif

// Two warpgroups of a block share the operands, so that one has work queued while the other waits.
template <class Product>
__global__ void __launch_bounds__(threads_per_block, 1)
    warpgroup_product_burst([[maybe_unused]] int iterations, [[maybe_unused]] float* never) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr int words_of_row = 2 * 16 / 4;
  __shared__ alignas(128) std::uint32_t a[64 * words_of_row];
  __shared__ alignas(128) std::uint32_t b[256 * words_of_row];
  using Operands = typename Product::Operands;
  for (unsigned int i = threadIdx.x; i < 64 * words_of_row; i += threads_per_block) {
    a[i] = operand_word<Operands>(i);
  }
  for (unsigned int i = threadIdx.x; i < 256 * words_of_row; i += threads_per_block) {
    b[i] = operand_word<Operands>(64 * words_of_row + i);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the products read through another path
  __syncthreads();
  const float total = sum_of_products<Product>(iterations, matrix_descriptor(a), matrix_descriptor(b));
  if (total == 12345.0F) *never = total;
#endif
}

template <int loads>
__global__ void __launch_bounds__(threads_per_block) copy_burst(const uint4* source, uint4* target) {
  const std::size_t first = std::size_t{blockIdx.x} * (loads * threads_per_block) + threadIdx.x;
  uint4 values[loads];
#pragma unroll
  for (int i = 0; i < loads; ++i) values[i] = source[first + i * threads_per_block];
#pragma unroll
  for (int i = 0; i < loads; ++i) target[first + i * threads_per_block] = values[i];
}

// What the code that the driver chose for this device was compiled for.
struct Target {
  int architecture;  // 900
  int warpgroups;    // 1 where it holds their products
};

static __global__ void report_target(Target* target) {
#if defined(__CUDA_ARCH__)
  target->architecture = __CUDA_ARCH__;
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  target->warpgroups = 1;
#else
  target->warpgroups = 0;
#endif
}

}  // namespace kgrade::cuda
