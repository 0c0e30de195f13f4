#include "soundness/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kgrade {
namespace {

// A carry out of the mantissa raises the exponent, as it should, up to infinity.
float without_low_bits(float value, unsigned int dropped) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (std::uint32_t{1} << (dropped - 1)) - 1;
  bits += half + (bits >> dropped & 1);
  return std::bit_cast<float>(bits & ~((std::uint32_t{1} << dropped) - 1));
}

float to_half(float value) {
  constexpr float smallest_normal = 0x1p-14F;
  constexpr float subnormal_step = 0x1p-24F;
  constexpr float largest = 65504;
  if (std::fabs(value) < smallest_normal) return std::nearbyint(value / subnormal_step) * subnormal_step;
  const float near = without_low_bits(value, 13);
  return std::fabs(near) <= largest ? near : std::copysign(std::numeric_limits<float>::infinity(), value);
}

}  // namespace

float rounded(float value, OperandFormat format) {
  if (!std::isfinite(value)) return value;
  switch (format) {
    case OperandFormat::tf32:
      return without_low_bits(value, 13);
    case OperandFormat::bf16:
      return without_low_bits(value, 16);
    case OperandFormat::fp16:
      break;
  }
  return to_half(value);
}

}  // namespace kgrade
