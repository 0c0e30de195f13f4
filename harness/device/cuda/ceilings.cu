#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "device/cuda/bursts.cuh"
#include "device/cuda/ceilings.h"
#include "device/cuda/check.h"

namespace kgrade::cuda {
namespace {

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) {
    if (cudaMalloc(&data_, bytes) == cudaSuccess) return;
    cudaGetLastError();  // an error of the allocation alone
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

  // Of the device, from the launch to the end; at least a microsecond.
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

// One instruction on the whole device.
struct Burst {
  std::function<void(int iterations)> launch;
  double flops = 0;  // of one iteration
};

class Measurement {
 public:
  explicit Measurement(int multiprocessors) : multiprocessors_(multiprocessors), scratch_(scratch_bytes) {}

  bool ready() const { return static_cast<bool>(scratch_); }

  // Until the clocks are those of work.
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

  // Operations per second, over a time in which neither launching nor filling operands counts.
  double rate(const Burst& burst) {
    const auto first = [&burst] { burst.launch(first_iterations); };
    watch_.seconds(first);  // loads the code
    const double share = burst_seconds / watch_.seconds(first);
    const int iterations = static_cast<int>(std::clamp(share * first_iterations, 1.0, double{1 << 24}));
    const double seconds = watch_.best_seconds([&burst, iterations] { burst.launch(iterations); });
    return burst.flops * iterations / seconds;
  }

  // Eight blocks of 256 threads are all that a multiprocessor holds.
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

// Of each of the two buffers of a copy: a quarter of what is free, 2 GiB at most; 0 if the L2 would hold too
// much of them.
std::size_t copy_bytes(std::size_t l2_bytes) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::size_t free = 0;
  std::size_t total = 0;
  KGRADE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::size_t bytes = std::min(free / 4, std::size_t{2} << 30) / step * step;
  return bytes >= std::max(8 * l2_bytes, 64 * step) ? bytes : 0;
}

void measure_warpgroups(Measurement& measurement, Ceilings& ceilings) {
  ceilings.tensor_instructions = "wgmma";
  ceilings.tf32_flops_per_second = measurement.rate(measurement.warpgroup_products<Tf32Warpgroup>());
  ceilings.fp16_flops_per_second = measurement.rate(measurement.warpgroup_products<Fp16Warpgroup>());
  ceilings.bf16_flops_per_second = measurement.rate(measurement.warpgroup_products<Bf16Warpgroup>());
}

void measure_warps(Measurement& measurement, Ceilings& ceilings) {
  ceilings.tensor_instructions = "mma.sync";
  ceilings.tf32_flops_per_second = measurement.rate(measurement.warp_products<Tf32Warp>());
  ceilings.fp16_flops_per_second = measurement.rate(measurement.warp_products<Fp16Warp>());
  ceilings.bf16_flops_per_second = measurement.rate(measurement.warp_products<Bf16Warp>());
}

void without_matrix_units(Ceilings& ceilings) {
  ceilings.tensor_instructions = "fma";
  ceilings.tf32_flops_per_second = ceilings.fp32_flops_per_second;
  ceilings.fp16_flops_per_second = ceilings.fp32_flops_per_second;
  ceilings.bf16_flops_per_second = ceilings.fp32_flops_per_second;
}

double double_rate(Measurement& measurement, const Target& target) {
  double best = measurement.rate(measurement.multiply_adds<double>());
  if (target.architecture >= 800) {
    best = std::max(best, measurement.rate(measurement.warp_products<SmallDoubleWarp>()));
  }
  if (target.architecture >= 900) {
    best = std::max(best, measurement.rate(measurement.warp_products<LargeDoubleWarp>()));
  }
  return best;
}

Ceilings measure_arithmetic(Measurement& measurement) {
  const Target target = measurement.target();
  Ceilings ceilings;
  ceilings.fp32_flops_per_second = measurement.rate(measurement.multiply_adds<float>());
  ceilings.fp64_flops_per_second = double_rate(measurement, target);
  if (target.warpgroups != 0) {
    measure_warpgroups(measurement, ceilings);
  } else if (target.architecture >= 800) {
    measure_warps(measurement, ceilings);
  } else {
    without_matrix_units(ceilings);
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
