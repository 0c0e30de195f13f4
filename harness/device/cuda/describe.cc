#include "device/cuda/describe.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "device/cuda/check.h"

namespace kgrade::cuda {
namespace {

// Standard deviation from one process to the next, on an H200: 0.07 us in
// results/nvidia-h200/process-offset.json, and 0.08 us if kernels that read memory count as well
// (results/nvidia-h200/selftest.json).
constexpr double process_offset_ms = 0.00008;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  KGRADE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

// Two transfers per clock over the whole bus.
double peak_bandwidth(int ordinal) {
  const double kilohertz = attribute(cudaDevAttrMemoryClockRate, ordinal);
  return kilohertz * 1e3 * 2 * attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
}

// The bound is 8192 tensor multiply-adds of 16 bits per clock, which is more than any multiprocessor up to
// Blackwell's does. No other arithmetic that a contestant can use is faster.
double peak_arithmetic(int ordinal, int multiprocessors) {
  constexpr double flops_per_clock = 2 * 8192;
  return flops_per_clock * multiprocessors * attribute(cudaDevAttrClockRate, ordinal) * 1e3;
}

}  // namespace

DeviceInfo describe(int ordinal) {
  cudaDeviceProp properties{};
  KGRADE_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  int driver = 0;
  int runtime = 0;
  KGRADE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  KGRADE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  DeviceInfo info;
  info.kind = "cuda";
  info.name = properties.name;
  info.uuid = uuid_text(properties.uuid);
  info.architecture = fmt::format("sm_{}{}", properties.major, properties.minor);
  info.driver_version = version_text(driver);
  info.runtime_version = version_text(runtime);
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  info.peak_bytes_per_second = peak_bandwidth(ordinal);
  info.peak_flops_per_second = peak_arithmetic(ordinal, properties.multiProcessorCount);
  info.measures_speed = true;
  info.process_offset_ms = process_offset_ms;
  return info;
}

}  // namespace kgrade::cuda
