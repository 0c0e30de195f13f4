// What a device reached when nothing but its memory or one of its arithmetic units limited it.
#pragma once

#include <string>

namespace kgrade {

// Rates per second, each positive. They are those of bursts of a few milliseconds on a device that has
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

}  // namespace kgrade
