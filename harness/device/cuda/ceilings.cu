#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include "device/cuda/check.h"
#include "device/cuda/describe.h"
#include "device/cuda/matrix_products.cuh"

namespace kgrade::cuda {

// Bursts: kernels that keep only one part of a device busy, and so show the rate of this part. All except the
// copy repeat one instruction on values in registers or shared memory. A store whose condition is never true
// keeps the results alive, since the compiler cannot know that.

constexpr int threads_per_block = 256;
constexpr int warps_per_block = threads_per_block / 32;

constexpr int chains = 8;  // independent chains of a thread
constexpr int steps = 32;  // of a chain in one iteration

template <class Real>
__global__ void __launch_bounds__(threads_per_block)
    multiply_add_burst(int iterations, Real factor, Real addend, Real* never) {
  // Each thread has its own values, so that they come from registers, like all operands in real work.
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

constexpr int warp_tiles = 8;  // independent tiles of a warp
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
  // The compiler cannot compute the sums itself, because the operands go through assembly.
  if (total == typename Product::Sum{12345}) *never = total;
}

constexpr int warpgroup_steps = 16;  // products of a warpgroup before it waits for them

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// A shared-memory operand without a swizzle: cores of 8 rows of 16 bytes, each in 128 bytes of its own. Two
// cores along K are next to each other. Distances are in units of 16 bytes (PTX ISA, "Matrix Descriptor
// Format").
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

// Two warpgroups of a block share the operands, so that one warpgroup has work queued while the other waits.
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

// The target for which the code was compiled that the driver chose for this device.
struct Target {
  int architecture;  // 900
  int warpgroups;    // 1 if the code has their products
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

namespace {

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) {
    if (cudaMalloc(&data_, bytes) == cudaSuccess) return;
    cudaGetLastError();  // clears the error of the allocation
    data_ = nullptr;
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  explicit operator bool() const { return data_ != nullptr; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

class Stopwatch {
 public:
  Stopwatch() {
    KGRADE_CUDA_CHECK(cudaEventCreate(&begin_));
    KGRADE_CUDA_CHECK(cudaEventCreate(&end_));
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Seconds on the device, from the launch to the end; at least a microsecond.
  double seconds(const std::function<void()>& launch) {
    KGRADE_CUDA_CHECK(cudaEventRecord(begin_));
    launch();
    KGRADE_CUDA_CHECK(cudaGetLastError());
    KGRADE_CUDA_CHECK(cudaEventRecord(end_));
    KGRADE_CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    KGRADE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return std::max(1e-6, static_cast<double>(milliseconds) * 1e-3);
  }

  double best_seconds(const std::function<void()>& launch) {
    double best = seconds(launch);
    for (int repeat = 1; repeat < repeats; ++repeat) best = std::min(best, seconds(launch));
    return best;
  }

 private:
  static constexpr int repeats = 5;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// A kernel that repeats one instruction on the whole device.
struct Burst {
  std::function<void(int iterations)> launch;
  double flops = 0;  // of one iteration
};

class Measurement {
 public:
  explicit Measurement(int multiprocessors) : multiprocessors_(multiprocessors), scratch_(scratch_bytes) {}

  bool ready() const { return static_cast<bool>(scratch_); }

  // Works until the clocks are as fast as they are under load.
  void warm_up() {
    const auto begin = std::chrono::steady_clock::now();
    const Burst burst = multiply_adds<float>();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100)) {
      watch_.seconds([&burst] { burst.launch(first_iterations); });
    }
  }

  Target target() {
    Target found{};
    watch_.seconds([this] { report_target<<<1, 1>>>(scratch_.as<Target>()); });
    KGRADE_CUDA_CHECK(cudaMemcpy(&found, scratch_.as<Target>(), sizeof found, cudaMemcpyDeviceToHost));
    return found;
  }

  double copy_rate(std::size_t bytes, const DeviceMemory& source, const DeviceMemory& target) {
    const auto* const from = source.as<const uint4>();
    auto* const to = target.as<uint4>();
    KGRADE_CUDA_CHECK(cudaMemset(source.as<void>(), 0x5a, bytes));
    watch_.seconds([=] { copy_burst<1><<<copy_blocks(bytes, 1), threads_per_block>>>(from, to); });
    const double narrow =
        watch_.best_seconds([=] { copy_burst<1><<<copy_blocks(bytes, 1), threads_per_block>>>(from, to); });
    const double wide =
        watch_.best_seconds([=] { copy_burst<4><<<copy_blocks(bytes, 4), threads_per_block>>>(from, to); });
    return 2.0 * static_cast<double>(bytes) / std::min(narrow, wide);
  }

  // Operations per second. The measured time is so long that launching and filling operands do not matter.
  double rate(const Burst& burst) {
    const auto first = [&burst] { burst.launch(first_iterations); };
    watch_.seconds(first);  // loads the code
    const double share = burst_seconds / watch_.seconds(first);
    const int iterations = static_cast<int>(std::clamp(share * first_iterations, 1.0, double{1 << 24}));
    const double seconds = watch_.best_seconds([&burst, iterations] { burst.launch(iterations); });
    return burst.flops * iterations / seconds;
  }

  // Eight blocks of 256 threads fill a multiprocessor.
  template <class Real>
  Burst multiply_adds() {
    const int blocks = 8 * multiprocessors_;
    const auto launch = [blocks, never = scratch_.as<Real>()](int iterations) {
      multiply_add_burst<Real><<<blocks, threads_per_block>>>(iterations, Real(0.75), Real(0.25), never);
    };
    return {launch, 2.0 * chains * steps * threads_per_block * blocks};
  }

  template <class Product>
  Burst warp_products() {
    const int blocks = 2 * multiprocessors_;
    const auto launch = [blocks, never = scratch_.as<typename Product::Sum>()](int iterations) {
      warp_product_burst<Product><<<blocks, threads_per_block>>>(iterations, never);
    };
    return {launch, Product::flops * warp_tiles * warp_steps * warps_per_block * blocks};
  }

  template <class Product>
  Burst warpgroup_products() {
    const int blocks = multiprocessors_;
    const auto launch = [blocks, never = scratch_.as<float>()](int iterations) {
      warpgroup_product_burst<Product><<<blocks, threads_per_block>>>(iterations, never);
    };
    return {launch, Product::flops * warpgroup_steps * (warps_per_block / 4) * blocks};
  }

 private:
  static constexpr std::size_t scratch_bytes = 256;
  static constexpr int first_iterations = 32;
  static constexpr double burst_seconds = 2.5e-3;

  static unsigned int copy_blocks(std::size_t bytes, int loads) {
    return static_cast<unsigned int>(bytes / (sizeof(uint4) * threads_per_block * loads));
  }

  int multiprocessors_;
  DeviceMemory scratch_;
  Stopwatch watch_;
};

// The size of each of the two buffers of a copy: a quarter of the free memory, 2 GiB at most. It is 0 if the
// L2 would hold too much of them.
std::size_t copy_bytes(std::size_t l2_bytes) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::size_t free = 0;
  std::size_t total = 0;
  KGRADE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::size_t bytes = std::min(free / 4, std::size_t{2} << 30) / step * step;
  return bytes >= std::max(8 * l2_bytes, 64 * step) ? bytes : 0;
}

Ceilings measure_arithmetic(Measurement& measurement) {
  const Target target = measurement.target();
  Ceilings ceilings;
  ceilings.fp32_flops_per_second = measurement.rate(measurement.multiply_adds<float>());
  double& fp64 = ceilings.fp64_flops_per_second;
  fp64 = measurement.rate(measurement.multiply_adds<double>());
  if (target.architecture >= 800)
    fp64 = std::max(fp64, measurement.rate(measurement.warp_products<SmallDoubleWarp>()));
  if (target.architecture >= 900)
    fp64 = std::max(fp64, measurement.rate(measurement.warp_products<LargeDoubleWarp>()));
  if (target.warpgroups != 0) {
    ceilings.tensor_instructions = "wgmma";
    ceilings.tf32_flops_per_second = measurement.rate(measurement.warpgroup_products<Tf32Warpgroup>());
    ceilings.fp16_flops_per_second = measurement.rate(measurement.warpgroup_products<Fp16Warpgroup>());
    ceilings.bf16_flops_per_second = measurement.rate(measurement.warpgroup_products<Bf16Warpgroup>());
  } else if (target.architecture >= 800) {
    ceilings.tensor_instructions = "mma.sync";
    ceilings.tf32_flops_per_second = measurement.rate(measurement.warp_products<Tf32Warp>());
    ceilings.fp16_flops_per_second = measurement.rate(measurement.warp_products<Fp16Warp>());
    ceilings.bf16_flops_per_second = measurement.rate(measurement.warp_products<Bf16Warp>());
  } else {  // there are no matrix units
    ceilings.tensor_instructions = "fma";
    ceilings.tf32_flops_per_second = ceilings.fp32_flops_per_second;
    ceilings.fp16_flops_per_second = ceilings.fp32_flops_per_second;
    ceilings.bf16_flops_per_second = ceilings.fp32_flops_per_second;
  }
  return ceilings;
}

int attribute(cudaDeviceAttr which) {
  int ordinal = 0;
  int value = 0;
  KGRADE_CUDA_CHECK(cudaGetDevice(&ordinal));
  KGRADE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

}  // namespace

std::optional<Ceilings> measure_ceilings() {
  Measurement measurement(attribute(cudaDevAttrMultiProcessorCount));
  const std::size_t bytes = copy_bytes(static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)));
  if (bytes == 0 || !measurement.ready()) return std::nullopt;
  const DeviceMemory source(bytes);
  const DeviceMemory target(bytes);
  if (!source || !target) return std::nullopt;
  measurement.warm_up();
  const double copy = measurement.copy_rate(bytes, source, target);
  Ceilings ceilings = measure_arithmetic(measurement);
  ceilings.copy_bytes_per_second = copy;
  return ceilings;
}

}  // namespace kgrade::cuda
