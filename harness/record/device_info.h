// What a record says about the device that ran the candidates. CUDA sources include this file, so it is
// C++17.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/enum_words.h"

namespace kgrade {

// What a device reached when it was limited only by its memory or by one arithmetic unit. These are positive
// rates per second. They are measured in bursts of a few milliseconds on an otherwise idle device. So a long
// kernel that draws much power is slower, and a kernel that only reads is faster than a copy. A multiply-add
// counts as two operations. If no unit of the device multiplies a type, its rate is that of fp32, to which it
// would be converted.
struct Ceilings {
  double copy_bytes_per_second = 0;  // bytes read plus bytes written
  double fp32_flops_per_second = 0;
  double tf32_flops_per_second = 0;
  double fp16_flops_per_second = 0;  // with fp32 sums, like bf16
  double bf16_flops_per_second = 0;
  double fp64_flops_per_second = 0;
  // The instructions with which the rates of tf32, fp16 and bf16 were measured: "wgmma", "mma.sync", or "fma"
  // if the device or this program has neither. If a device has faster instructions, its matrix units have a
  // higher ceiling than is written here.
  std::string tensor_instructions;
  std::string measured_at;  // ISO 8601, UTC: "2026-01-31T12:00:00Z"
};

struct DeviceInfo {
  std::string kind;  // "cuda" or "emulated"
  std::string name;  // "NVIDIA H200"
  std::string uuid;
  std::string architecture;     // "sm_90"
  std::string driver_version;   // of the CUDA driver: "13.0"; empty if there is none
  std::string runtime_version;  // of the CUDA runtime that the harness was built with
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  // Upper limits of the hardware, from its clocks and widths; 0 if unknown.
  double peak_bytes_per_second = 0;  // of device memory
  double peak_flops_per_second = 0;  // of its fastest arithmetic unit
  double process_offset_ms = 0;      // what a process adds to each launch: measure/speedup.h
  std::string thread_order;          // the order in which threads run: "forward"; empty if the device decides
  bool measures_speed = false;       // false: the times of this device are never reported as speed
};

// The state of the device's caches when a call begins: without the inputs (cold), or as the writing of the
// inputs left them (warm).
enum class CacheState { cold, warm };
template <>
inline constexpr std::array<std::string_view, 2> enum_words<CacheState> = {"cold", "warm"};

}  // namespace kgrade
