// Floating-point numbers of eight bits and fewer, as codes. Written once for host and device, with integer
// operations and single IEEE operations. e4m3 and e5m2 are FP8 of the OCP 8-bit Floating Point Specification.
// e2m1 and the scales e8m0 are from the OCP Microscaling Formats Specification.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/compiler.h"
#include "base/enum_words.h"

namespace kgrade {

enum class SmallFloat : std::int32_t { e2m1, e4m3, e5m2, e8m0 };

template <>
inline constexpr std::array<std::string_view, 4> enum_words<SmallFloat> = {"e2m1", "e4m3", "e5m2", "e8m0"};

KGRADE_HOST_DEVICE inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

KGRADE_HOST_DEVICE inline float float_of(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The codes of four bits come in pairs, the first in the lower half.
KGRADE_HOST_DEVICE constexpr std::uint64_t codes_per_byte(SmallFloat format) {
  return format == SmallFloat::e2m1 ? 2 : 1;
}

namespace detail {

// A format with a sign. The magnitude of a number is its code without the sign.
struct SmallFormat {
  int mantissa_bits;
  int bias;
  std::uint32_t largest;  // code of the largest finite number
  std::uint32_t sign;     // the sign bit
};

KGRADE_HOST_DEVICE constexpr SmallFormat format_of(SmallFloat format) {
  return format == SmallFloat::e2m1   ? SmallFormat{1, 1, 0x07u, 0x08u}
         : format == SmallFloat::e4m3 ? SmallFormat{3, 7, 0x7Eu, 0x80u}
                                      : SmallFormat{2, 15, 0x7Bu, 0x80u};
}

KGRADE_HOST_DEVICE inline float power_of_2(int exponent) {
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// e8m0 has all powers from 2^-127 to 2^127. As a float, 2^-127 is subnormal.
KGRADE_HOST_DEVICE inline float decode_e8m0(std::uint32_t code) {
  if (code == 0xFFu) return float_of(0x7FC00000u);
  return float_of(code == 0 ? 0x00400000u : code << 23);
}

// The nearest power of 2; midway between two, the larger one.
KGRADE_HOST_DEVICE inline std::uint32_t encode_e8m0(std::uint32_t size) {
  const std::uint32_t code = size < 0x00600000u ? 0 : (size + 0x00400000u) >> 23;
  return code < 0xFEu ? code : 0xFEu;
}

}  // namespace detail

// For e2m1, only the lower four bits count.
KGRADE_HOST_DEVICE inline float decode(SmallFloat format, std::uint32_t code) {
  if (format == SmallFloat::e8m0) return detail::decode_e8m0(code);
  const detail::SmallFormat parts = detail::format_of(format);
  const std::uint32_t size = code & (parts.sign - 1);
  float value = 0;
  if (size > parts.largest) {
    const bool is_infinite = format == SmallFloat::e5m2 && size == parts.largest + 1;
    value = float_of(is_infinite ? 0x7F800000u : 0x7FC00000u);
  } else if (size < 1u << parts.mantissa_bits) {
    value = static_cast<float>(size) * detail::power_of_2(1 - parts.bias - parts.mantissa_bits);
  } else {
    value =
        float_of((size << (23 - parts.mantissa_bits)) + (static_cast<std::uint32_t>(127 - parts.bias) << 23));
  }
  return (code & parts.sign) != 0 ? -value : value;
}

// The code of the nearest finite number. Of two that are equally near it is the even code, and for e8m0 the
// larger number. `value` is not NaN. For e8m0 its sign is ignored.
KGRADE_HOST_DEVICE inline std::uint32_t encode(SmallFloat format, float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t size = bits & 0x7FFFFFFFu;
  if (format == SmallFloat::e8m0) return detail::encode_e8m0(size);
  const detail::SmallFormat parts = detail::format_of(format);
  const int shift = 23 - parts.mantissa_bits;
  std::uint32_t code = 0;
  if (size >= static_cast<std::uint32_t>(128 - parts.bias) << 23) {
    code = ((size + (1u << (shift - 1)) - 1 + (size >> shift & 1u)) >> shift) -
           (static_cast<std::uint32_t>(127 - parts.bias) << parts.mantissa_bits);
  } else {
    // Convert to units of the smallest number. Near 2^23, floats are 1 apart.
    const float units = float_of(size) * detail::power_of_2(parts.bias + parts.mantissa_bits - 1);
    code = bits_of(units + 8388608.0f) - 0x4B000000u;
  }
  if (code > parts.largest) code = parts.largest;
  return bits >> 31 != 0 ? code | parts.sign : code;
}

}  // namespace kgrade
