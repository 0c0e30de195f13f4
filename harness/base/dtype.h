// The element types of tensors and conversions between them, written once for host and device. They use
// integer operations and one IEEE addition, so that both give the same bits. float16 is binary16 of IEEE
// 754-2019, and bfloat16 is the upper half of binary32. The types of eight bits are in base/small_float.h. A
// boolean is a byte, 0 or 1.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/compiler.h"
#include "base/small_float.h"

namespace kgrade {

// What is known of an element type.
struct DtypeRow {
  const char* name = "";         // in PyTorch
  const char* cuda_type = "";    // in C++
  const char* cuda_header = "";  // the header that defines cuda_type; empty if none is needed
  const char* numpy_type = "";   // of a little-endian array; empty if NumPy lacks the type
  std::uint64_t bytes = 1;
  // Bits of the significand, including the bit that is not stored. Elements of integer types are converted
  // to float, so their rows have float's values in this member and the next two.
  std::int32_t significant_bits = 24;
  float smallest_normal = FLT_MIN;
  float largest_finite = FLT_MAX;
  SmallFloat format = {};  // of a real type of eight bits
};

// The row of each type. The first types are those that a problem's variable type, [VAR], can be, beginning
// with float32. Floating types of eight bits follow, then float64, then integers and booleans.
#define KGRADE_DTYPES(X)                                                                                     \
  X(float32, "float32", "float", "", "<f4", 4)                                                               \
  X(float16, "float16", "__half", "cuda_fp16.h", "<f2", 2, 11, 0x1p-14f, 65504)                              \
  X(bfloat16, "bfloat16", "__nv_bfloat16", "cuda_bf16.h", "", 2, 8, FLT_MIN, 0x1.FEp127f)                    \
  X(float8_e4m3fn, "float8_e4m3fn", "__nv_fp8_e4m3", "cuda_fp8.h", "", 1, 4, 0x1p-6f, 448, SmallFloat::e4m3) \
  X(float8_e5m2, "float8_e5m2", "__nv_fp8_e5m2", "cuda_fp8.h", "", 1, 3, 0x1p-14f, 57344, SmallFloat::e5m2)  \
  X(float8_e8m0fnu, "float8_e8m0fnu", "__nv_fp8_e8m0", "cuda_fp8.h", "", 1, 1, 0x1p-127f, 0x1p127f,          \
    SmallFloat::e8m0)                                                                                        \
  X(float64, "float64", "double", "", "<f8", 8, 53)                                                          \
  X(int8, "int8", "int8_t", "", "|i1", 1)                                                                    \
  X(int16, "int16", "int16_t", "", "<i2", 2)                                                                 \
  X(int32, "int32", "int", "", "<i4", 4)                                                                     \
  X(int64, "int64", "int64_t", "", "<i8", 8)                                                                 \
  X(uint8, "uint8", "uint8_t", "", "|u1", 1)                                                                 \
  X(uint16, "uint16", "uint16_t", "", "<u2", 2)                                                              \
  X(uint32, "uint32", "uint32_t", "", "<u4", 4)                                                              \
  X(uint64, "uint64", "uint64_t", "", "<u8", 8)                                                              \
  X(boolean, "bool", "bool", "", "|b1", 1)

enum class Dtype : std::int32_t {
#define KGRADE_ENUMERATOR(dtype, ...) dtype,
  KGRADE_DTYPES(KGRADE_ENUMERATOR)
#undef KGRADE_ENUMERATOR
};

inline constexpr Dtype all_dtypes[] = {
#define KGRADE_ENUMERATOR(dtype, ...) Dtype::dtype,
    KGRADE_DTYPES(KGRADE_ENUMERATOR)
#undef KGRADE_ENUMERATOR
};

// The types that [VAR] can be.
inline constexpr Dtype var_dtypes[] = {Dtype::float32, Dtype::float16, Dtype::bfloat16};

// A field of a type's row.
template <auto field>
KGRADE_HOST_DEVICE constexpr auto field_of(Dtype dtype) {
  switch (dtype) {
#define KGRADE_CASE(dtype, ...)             \
  case Dtype::dtype: {                      \
    constexpr DtypeRow row = {__VA_ARGS__}; \
    return row.*field;                      \
  }
    KGRADE_DTYPES(KGRADE_CASE)
#undef KGRADE_CASE
  }
  constexpr DtypeRow none = {};
  return none.*field;
}

constexpr std::string_view to_string(Dtype dtype) { return field_of<&DtypeRow::name>(dtype); }
constexpr std::string_view cuda_type(Dtype dtype) { return field_of<&DtypeRow::cuda_type>(dtype); }
constexpr std::string_view cuda_header(Dtype dtype) { return field_of<&DtypeRow::cuda_header>(dtype); }
constexpr std::string_view numpy_type(Dtype dtype) { return field_of<&DtypeRow::numpy_type>(dtype); }
KGRADE_HOST_DEVICE constexpr std::uint64_t element_bytes(Dtype dtype) {
  return field_of<&DtypeRow::bytes>(dtype);
}
KGRADE_HOST_DEVICE constexpr std::int32_t significant_bits(Dtype dtype) {
  return field_of<&DtypeRow::significant_bits>(dtype);
}
KGRADE_HOST_DEVICE constexpr float smallest_normal(Dtype dtype) {
  return field_of<&DtypeRow::smallest_normal>(dtype);
}
KGRADE_HOST_DEVICE constexpr float largest_finite(Dtype dtype) {
  return field_of<&DtypeRow::largest_finite>(dtype);
}

std::optional<Dtype> dtype_from(std::string_view text);          // only types that [VAR] can be
std::optional<Dtype> integer_dtype_from(std::string_view text);  // only integer types and booleans

KGRADE_HOST_DEVICE constexpr bool is_integer(Dtype dtype) { return dtype >= Dtype::int8; }  // or a boolean

// Floating types of 16 or 8 bits.
KGRADE_HOST_DEVICE constexpr bool is_narrow(Dtype dtype) {
  return dtype > Dtype::float32 && dtype < Dtype::float64;
}
KGRADE_HOST_DEVICE constexpr bool is_float8(Dtype dtype) {
  return dtype > Dtype::bfloat16 && dtype < Dtype::float64;
}

// Whether the type has 0 and negative numbers. A real type without stored bits of the significand has only
// powers of two.
KGRADE_HOST_DEVICE constexpr bool has_zero(Dtype dtype) { return significant_bits(dtype) > 1; }

// Whether the type has as many exponents as float or more.
constexpr bool has_exponents_of_float(Dtype dtype) { return smallest_normal(dtype) <= FLT_MIN; }

KGRADE_HOST_DEVICE inline std::int64_t double_bits(double value) {
  std::int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

KGRADE_HOST_DEVICE inline double double_of(std::int64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Tests bits, because a compiler may assume that there are no NaNs if fast math is on.
KGRADE_HOST_DEVICE inline bool is_finite(float value) {
  return (bits_of(value) & 0x7F800000u) != 0x7F800000u;
}

KGRADE_HOST_DEVICE inline bool is_finite(double value) {
  constexpr std::int64_t exponent = 0x7FF0000000000000;
  return (double_bits(value) & exponent) != exponent;
}

KGRADE_HOST_DEVICE inline bool is_nan(double value) { return !is_finite(value) && value != value; }

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
  } else if (size >= 0x47800000u) {  // 2^16, above all finite values
    rounded = 0x7C00u;
  } else if (size >= 0x38800000u) {  // 2^-14, the smallest normal value
    rounded = (size + 0xFFFu + (size >> 13 & 1u) - 0x38000000u) >> 13;
  } else {
    // Near 1/2, floats have the spacing of the subnormal values: 2^-24.
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

// The bits of `value` in a type of 16 or 8 bits, rounded to nearest, ties to even. A value above the largest
// becomes an infinity, or in 8 bits the largest value.
KGRADE_HOST_DEVICE inline std::uint16_t encode(Dtype dtype, float value) {
  if (is_float8(dtype)) return static_cast<std::uint16_t>(encode(field_of<&DtypeRow::format>(dtype), value));
  return dtype == Dtype::float16 ? detail::encode_float16(bits_of(value))
                                 : detail::encode_bfloat16(bits_of(value));
}

KGRADE_HOST_DEVICE inline float decode(Dtype dtype, std::uint16_t bits) {
  if (is_float8(dtype)) return decode(field_of<&DtypeRow::format>(dtype), bits);
  return dtype == Dtype::float16 ? detail::decode_float16(bits) : float_of(std::uint32_t{bits} << 16);
}

// The nearest value of the type. `value` must be an integer for an integer type. It must fit into a float
// without rounding for a narrow type.
KGRADE_HOST_DEVICE inline float rounded_to(Dtype dtype, float value) {
  return is_narrow(dtype) ? decode(dtype, encode(dtype, value)) : value;
}

KGRADE_HOST_DEVICE inline double rounded_to(Dtype dtype, double value) {
  return is_narrow(dtype) ? static_cast<double>(rounded_to(dtype, static_cast<float>(value))) : value;
}

// Element `index` of a tensor of an integer type. Values of uint64 from 2^63 on come out negative.
KGRADE_HOST_DEVICE inline std::int64_t load_integer(Dtype dtype, const unsigned char* tensor,
                                                    std::uint64_t index) {
  switch (dtype) {
    case Dtype::int8:
      return reinterpret_cast<const std::int8_t*>(tensor)[index];
    case Dtype::int16:
      return reinterpret_cast<const std::int16_t*>(tensor)[index];
    case Dtype::int32:
      return reinterpret_cast<const std::int32_t*>(tensor)[index];
    case Dtype::uint16:
      return reinterpret_cast<const std::uint16_t*>(tensor)[index];
    case Dtype::uint32:
      return reinterpret_cast<const std::uint32_t*>(tensor)[index];
    case Dtype::int64:
    case Dtype::uint64:
      return reinterpret_cast<const std::int64_t*>(tensor)[index];
    default:
      return tensor[index];
  }
}

KGRADE_HOST_DEVICE inline void store_integer(Dtype dtype, unsigned char* tensor, std::uint64_t index,
                                             std::int64_t value) {
  switch (element_bytes(dtype)) {
    case 1:
      tensor[index] = static_cast<unsigned char>(value);
      break;
    case 2:
      reinterpret_cast<std::uint16_t*>(tensor)[index] = static_cast<std::uint16_t>(value);
      break;
    case 4:
      reinterpret_cast<std::uint32_t*>(tensor)[index] = static_cast<std::uint32_t>(value);
      break;
    default:
      reinterpret_cast<std::int64_t*>(tensor)[index] = value;
  }
}

// Element `index` of a tensor of the type, rounded to a float. Integers up to 2^24 in size are exact.
KGRADE_HOST_DEVICE inline float load_element(Dtype dtype, const unsigned char* tensor, std::uint64_t index) {
  if (dtype == Dtype::float32) return reinterpret_cast<const float*>(tensor)[index];
  if (dtype == Dtype::float64) return static_cast<float>(reinterpret_cast<const double*>(tensor)[index]);
  if (is_integer(dtype)) return static_cast<float>(load_integer(dtype, tensor, index));
  if (is_float8(dtype)) return decode(dtype, tensor[index]);
  return decode(dtype, reinterpret_cast<const std::uint16_t*>(tensor)[index]);
}

// Element `index` of a tensor of a floating type, exact.
KGRADE_HOST_DEVICE inline double load_real(Dtype dtype, const unsigned char* tensor, std::uint64_t index) {
  if (dtype == Dtype::float64) return reinterpret_cast<const double*>(tensor)[index];
  return static_cast<double>(load_element(dtype, tensor, index));
}

// The bits of `value` as an element of the type. They are the lowest bits of the result, as many as an
// element has. The other bits have no meaning.
KGRADE_HOST_DEVICE inline std::int64_t element_bits(Dtype dtype, float value) {
  if (dtype == Dtype::float32) return bits_of(value);
  if (dtype == Dtype::float64) return double_bits(static_cast<double>(value));
  return is_integer(dtype) ? static_cast<std::int64_t>(value) : encode(dtype, value);
}

KGRADE_HOST_DEVICE inline void store_element(Dtype dtype, unsigned char* tensor, std::uint64_t index,
                                             float value) {
  store_integer(dtype, tensor, index, element_bits(dtype, value));
}

// The neighbour of `value` in the direction of `target`, for a type of 16 or 8 bits. `value` is a value of
// the type.
KGRADE_HOST_DEVICE inline float neighbour_towards(Dtype dtype, float value, float target) {
  const std::uint16_t bits = encode(dtype, value);
  const std::uint32_t negative = is_float8(dtype) ? 0x81u : 0x8001u;
  if (value == 0) return decode(dtype, static_cast<std::uint16_t>(target > 0 ? 1u : negative));
  const bool outwards = (value > 0) == (target > value);
  return decode(dtype, static_cast<std::uint16_t>(outwards ? bits + 1u : bits - 1u));
}

// The nearest value to `value` that inputs of a type of 16 or 8 bits may have: a normal finite value, or zero
// if the type has it.
KGRADE_HOST_DEVICE inline float nearest_normal(Dtype dtype, float value) {
  const float least = smallest_normal(dtype);
  const float size = fabsf(rounded_to(dtype, value));
  if (size < least) return fabsf(value) <= least / 2 ? 0.0f : copysignf(least, value);
  return copysignf(size > largest_finite(dtype) ? largest_finite(dtype) : size, value);
}

// Like nearest_normal(), but within [low, high], or [low, high) if the upper end is excluded. If the range
// holds no such value, returns one next to the range.
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
