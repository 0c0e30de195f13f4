#include "soundness/rounding.h"

#include <cmath>

#include "base/dtype.h"

namespace kgrade {
namespace {

// A carry out of the mantissa raises the exponent, as it should, up to infinity.
float to_tf32(float value) {
  constexpr std::uint32_t dropped = 13;
  constexpr std::uint32_t below_half = (1u << (dropped - 1)) - 1;
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t raised = bits + below_half + (bits >> dropped & 1u);
  return float_of(raised >> dropped << dropped);
}

}  // namespace

float rounded(float value, OperandFormat format) {
  if (!std::isfinite(value)) return value;
  switch (format) {
    case OperandFormat::tf32:
      return to_tf32(value);
    case OperandFormat::bf16:
      return rounded_to(Dtype::bfloat16, value);
    case OperandFormat::fp16:
      break;
  }
  return rounded_to(Dtype::float16, value);
}

}  // namespace kgrade
