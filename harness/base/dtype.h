// The element types that [VAR] can be, and their numbers, written once for host and device: integer
// operations and one IEEE addition, so that both give the same bits. float16 is binary16 of IEEE 754-2019,
// bfloat16 the upper half of binary32.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/compiler.h"

namespace kgrade {

enum class Dtype : std::int32_t { float32, float16, bfloat16 };
inline constexpr Dtype all_dtypes[] = {Dtype::float32, Dtype::float16, Dtype::bfloat16};

std::string_view to_string(Dtype dtype);  // "float16"
std::optional<Dtype> dtype_from(std::string_view text);
std::string_view cuda_type(Dtype dtype);    // "__half"
std::string_view cuda_header(Dtype dtype);  // that defines it: "cuda_fp16.h"; empty where none is needed

KGRADE_HOST_DEVICE constexpr std::uint64_t element_bytes(Dtype dtype) {
  return dtype == Dtype::float32 ? 4 : 2;
}

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

namespace detail {

constexpr std::uint32_t infinity_bits = 0x7F800000u;

KGRADE_HOST_DEVICE inline std::uint16_t encode_bfloat16(std::uint32_t bits) {
  if ((bits & 0x7FFFFFFFu) > infinity_bits) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

KGRADE_HOST_DEVICE inline std::uint16_t encode_float16(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t size = bits & 0x7FFFFFFFu;
  std::uint32_t rounded = 0;
  if (size > infinity_bits) {
    rounded = 0x7E00u;
  } else if (size >= 0x47800000u) {  // 2^16, above all finite ones
    rounded = 0x7C00u;
  } else if (size >= 0x38800000u) {  // 2^-14, the smallest normal one
    rounded = (size + 0xFFFu + (size >> 13 & 1u) - 0x38000000u) >> 13;
  } else {
    // Next to 1/2 floats are as far apart as the subnormal ones are: 2^-24.
    rounded = bits_of(float_of(size) + 0.5f) - 0x3F000000u;
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

KGRADE_HOST_DEVICE inline float decode_float16(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
  const std::uint32_t size = bits & 0x7FFFu;
  if (size >= 0x7C00u) return float_of(sign | infinity_bits | (size & 0x3FFu) << 13);
  if (size >= 0x400u) return float_of(sign | ((size << 13) + 0x38000000u));
  const float subnormal = float_of(size + 0x3F000000u) - 0.5f;
  return sign != 0 ? -subnormal : subnormal;
}

}  // namespace detail

// The bits of a 16-bit type: the nearest value, the even one of two, an infinity beyond the largest.
KGRADE_HOST_DEVICE inline std::uint16_t encode(Dtype dtype, float value) {
  return dtype == Dtype::float16 ? detail::encode_float16(bits_of(value))
                                 : detail::encode_bfloat16(bits_of(value));
}

KGRADE_HOST_DEVICE inline float decode(Dtype dtype, std::uint16_t bits) {
  return dtype == Dtype::float16 ? detail::decode_float16(bits) : float_of(std::uint32_t{bits} << 16);
}

// The nearest value of the type.
KGRADE_HOST_DEVICE inline float rounded_to(Dtype dtype, float value) {
  return dtype == Dtype::float32 ? value : decode(dtype, encode(dtype, value));
}

// Element `index` of a tensor of the type.
KGRADE_HOST_DEVICE inline float load_element(Dtype dtype, const unsigned char* tensor, std::uint64_t index) {
  if (dtype == Dtype::float32) return reinterpret_cast<const float*>(tensor)[index];
  return decode(dtype, reinterpret_cast<const std::uint16_t*>(tensor)[index]);
}

KGRADE_HOST_DEVICE inline void store_element(Dtype dtype, unsigned char* tensor, std::uint64_t index,
                                             float value) {
  if (dtype == Dtype::float32) {
    reinterpret_cast<float*>(tensor)[index] = value;
  } else {
    reinterpret_cast<std::uint16_t*>(tensor)[index] = encode(dtype, value);
  }
}

// Of a 16-bit type: the value next to `value`, which is one of its own, on the way to `target`.
KGRADE_HOST_DEVICE inline float neighbour_towards(Dtype dtype, float value, float target) {
  const std::uint16_t bits = encode(dtype, value);
  if (value == 0) return decode(dtype, static_cast<std::uint16_t>(target > 0 ? 0x0001u : 0x8001u));
  const bool outwards = (value > 0) == (target > value);
  return decode(dtype, static_cast<std::uint16_t>(outwards ? bits + 1u : bits - 1u));
}

KGRADE_HOST_DEVICE constexpr float smallest_normal(Dtype dtype) {
  return dtype == Dtype::float16 ? 6.103515625e-05f : 1.17549435082228750797e-38f;
}

KGRADE_HOST_DEVICE constexpr float largest_finite(Dtype dtype) {
  return dtype == Dtype::float16    ? 65504.0f
         : dtype == Dtype::bfloat16 ? 3.38953138925153547590e+38f
                                    : 3.40282346638528859812e+38f;
}

// The nearest value of a 16-bit type that inputs may have: zero, or a normal finite one.
KGRADE_HOST_DEVICE inline float nearest_normal(Dtype dtype, float value) {
  const float least = smallest_normal(dtype);
  const float size = fabsf(rounded_to(dtype, value));
  if (size < least) return fabsf(value) <= least / 2 ? 0.0f : copysignf(least, value);
  return copysignf(size > largest_finite(dtype) ? largest_finite(dtype) : size, value);
}

// The nearest such value within [low, high], or [low, high) where the upper end is excluded; one beside that
// range when it holds none.
KGRADE_HOST_DEVICE inline float nearest_normal_within(Dtype dtype, float value, double low, double high,
                                                      bool high_included) {
  const float nearest = nearest_normal(dtype, value);
  const bool above = high_included ? nearest > high : nearest >= high;
  if (!above && !(nearest < low)) return nearest;
  const float target = above ? -largest_finite(dtype) : largest_finite(dtype);
  const float next = neighbour_towards(dtype, nearest, target);
  if (next == 0 || fabsf(next) >= smallest_normal(dtype)) return next;
  return nearest == 0 ? copysignf(smallest_normal(dtype), target) : 0.0f;
}

}  // namespace kgrade
