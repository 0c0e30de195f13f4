// What a record says of the device that candidates ran on. CUDA sources include it, so it is C++17.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kgrade {

// What a device reached when nothing but its memory or one of its arithmetic units limited it: rates per
// second, each positive. They are those of bursts of a few milliseconds on a device that has
// nothing else to do: a long kernel that draws much power is slower, and one that only reads is faster than a
// copy. A multiply-add counts as two operations. A type that no unit of the device multiplies has the rate of
// fp32, which it would be converted to.
struct Ceilings {
  double copy_bytes_per_second = 0;  // bytes read plus bytes written
  double fp32_flops_per_second = 0;
  double tf32_flops_per_second = 0;
  double fp16_flops_per_second = 0;  // with fp32 sums, as the next one
  double bf16_flops_per_second = 0;
  double fp64_flops_per_second = 0;
  // What the rates of tf32, fp16 and bf16 were measured with: "wgmma", "mma.sync", or "fma" where the device
  // or this program has neither. On a device with faster instructions than these three, its matrix units have
  // a higher ceiling than is written here.
  std::string tensor_instructions;
  std::string measured_at;  // ISO 8601, UTC: "2026-01-31T12:00:00Z"
};

struct DeviceInfo {
  std::string kind;  // "cuda" or "emulated"
  std::string name;  // "NVIDIA H200"
  std::string uuid;
  std::string architecture;     // "sm_90"
  std::string driver_version;   // of the CUDA driver: "13.0"; empty where there is none
  std::string runtime_version;  // of the CUDA runtime that the harness was built with
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  // What the hardware cannot exceed, from its clocks and widths; 0 where nothing is known.
  double peak_bytes_per_second = 0;  // of device memory
  double peak_flops_per_second = 0;  // of its fastest arithmetic unit
  double process_offset_ms = 0;      // what a process adds to each of its launches: measure/speedup.h
  std::string thread_order;          // in which threads run: "forward"; empty where the device decides
  bool measures_speed = false;       // false: times of this device are never reported as speed
};

// What the device's caches hold of the inputs when a call begins: nothing, or what is left of writing them.
enum class CacheState { cold, warm };
inline std::string_view to_string(CacheState cache) { return cache == CacheState::warm ? "warm" : "cold"; }

}  // namespace kgrade
