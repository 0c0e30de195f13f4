#include "measure/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kgrade {
namespace {

constexpr double fewest_multiplications = 0.25;
constexpr double peak_tolerance = 1.2;

// How far a unit may exceed its measured ceiling: where its nominal peak is known too, and where it is not.
struct Margin {
  double beside_peak;
  double alone;
};
constexpr Margin memory_margin{1.15, 2};
constexpr Margin arithmetic_margin{1.15, 4};

double highest_rate(double peak, double measured, const Margin& margin) {
  return peak > 0 ? std::max(peak, margin.beside_peak * measured) : margin.alone * measured;
}

double fastest_arithmetic(const Ceilings& ceilings) {
  return std::max({ceilings.fp32_flops_per_second, ceilings.tf32_flops_per_second,
                   ceilings.fp16_flops_per_second, ceilings.bf16_flops_per_second,
                   ceilings.fp64_flops_per_second});
}

double roofline_bytes(const Case& bound) {
  return static_cast<double>(bound.bytes ? *bound.bytes : bound.tensor_bytes());
}

// That must come from memory, or go there.
double least_bytes(const Case& bound, const DeviceInfo& device, CacheState cache) {
  const auto element_size = static_cast<std::int64_t>(element_bytes(bound.dtype));
  double inputs = 0;
  double outputs = 0;
  for (const Tensor& tensor : bound.tensors) {
    (tensor.output ? outputs : inputs) += static_cast<double>(tensor.elements * element_size);
  }
  if (bound.bytes) inputs = std::max(0.0, static_cast<double>(*bound.bytes) - outputs);
  const auto l2_bytes = static_cast<double>(device.l2_bytes);
  if (cache == CacheState::warm) return std::max(0.0, inputs + outputs - l2_bytes);
  return inputs + std::max(0.0, outputs - l2_bytes);
}

double seconds_of(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

struct NamedRate {
  const char* name;
  double value;
  double least;
  double most;
  double peak;  // 0: not known
};

std::optional<std::string> why_implausible(const NamedRate& rate) {
  if (!std::isfinite(rate.value)) return fmt::format("the rate of {} is not a finite number", rate.name);
  if (rate.value < rate.least || rate.value > rate.most) {
    return fmt::format("no device has a rate of {:g} per second for {}", rate.value, rate.name);
  }
  if (rate.peak > 0 && rate.value > peak_tolerance * rate.peak) {
    return fmt::format("a rate of {:g} per second for {} is above the device's peak of {:g}", rate.value,
                       rate.name, rate.peak);
  }
  return std::nullopt;
}

}  // namespace

double arithmetic_rate(const Ceilings& ceilings, Precision precision, Dtype dtype) {
  const double of_class = arithmetic_rate(ceilings, precision);
  if (dtype == Dtype::float16) return std::max(of_class, ceilings.fp16_flops_per_second);
  if (dtype == Dtype::bfloat16) return std::max(of_class, ceilings.bf16_flops_per_second);
  return of_class;
}

double arithmetic_rate(const Ceilings& ceilings, Precision precision) {
  // Of one product of 11 significant bits, which tf32 and fp16 have alike.
  const double of_11_bits = std::max(ceilings.tf32_flops_per_second, ceilings.fp16_flops_per_second);
  const double fp32 = std::max(ceilings.fp32_flops_per_second, of_11_bits / 3);
  const double tf32 = std::max(fp32, of_11_bits);
  switch (precision) {
    case Precision::fp32:
      return fp32;
    case Precision::tf32:
      return tf32;
    case Precision::bf16:
      return std::max(tf32, ceilings.bf16_flops_per_second);
    case Precision::none:
      break;
  }
  return fastest_arithmetic(ceilings);
}

std::optional<Floor> roofline_floor(const Case& bound, const Ceilings& ceilings, Precision precision) {
  const auto flops = static_cast<double>(bound.flops.value_or(0));
  const Floor floor{1e3 * seconds_of(roofline_bytes(bound), ceilings.copy_bytes_per_second),
                    1e3 * seconds_of(flops, arithmetic_rate(ceilings, precision, bound.dtype))};
  if (floor.ms() > 0) return floor;
  return std::nullopt;
}

double share(double floor_ms, double time_ms) { return time_ms > 0 ? floor_ms / time_ms : 0; }

double hardware_bound_ms(const Case& bound, const std::optional<Ceilings>& ceilings, const DeviceInfo& device,
                         CacheState cache) {
  const Ceilings measured = ceilings.value_or(Ceilings{});
  const double bytes_per_second =
      highest_rate(device.peak_bytes_per_second, measured.copy_bytes_per_second, memory_margin);
  const double flops_per_second =
      highest_rate(device.peak_flops_per_second, fastest_arithmetic(measured), arithmetic_margin);
  const double least_flops = fewest_multiplications * static_cast<double>(bound.flops.value_or(0));
  return 1e3 * std::max(seconds_of(least_bytes(bound, device, cache), bytes_per_second),
                        seconds_of(least_flops, flops_per_second));
}

double impossible_below_ms(const Case& bound, const std::optional<Ceilings>& ceilings,
                           const DeviceInfo& device, CacheState cache) {
  return clock_slack * hardware_bound_ms(bound, ceilings, device, cache);
}

std::optional<std::string> why_implausible(const Ceilings& ceilings, const DeviceInfo& device) {
  const double flops_peak = device.peak_flops_per_second;
  const std::array<NamedRate, 6> rates{
      {{"a copy", ceilings.copy_bytes_per_second, 1e9, 1e15, device.peak_bytes_per_second},
       {"fp32", ceilings.fp32_flops_per_second, 1e8, 1e18, flops_peak},
       {"tf32", ceilings.tf32_flops_per_second, 1e8, 1e18, flops_peak},
       {"fp16", ceilings.fp16_flops_per_second, 1e8, 1e18, flops_peak},
       {"bf16", ceilings.bf16_flops_per_second, 1e8, 1e18, flops_peak},
       {"fp64", ceilings.fp64_flops_per_second, 1e8, 1e18, flops_peak}}};
  for (const NamedRate& rate : rates) {
    if (auto reason = why_implausible(rate)) return reason;
  }
  return std::nullopt;
}

}  // namespace kgrade
