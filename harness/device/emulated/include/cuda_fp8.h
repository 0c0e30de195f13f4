// The types of 8 bits: __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0, their vectors of two and four, and the
// conversions between their codes and wider types (Math API manual, "FP8 Intrinsics").
#pragma once

#include "cuda_bf16.h"
#include "kgrade_emulated/low_precision_values.h"

#define __CUDA_FP8_H__
#define __CUDA_FP8_HPP__
#define __CUDA_FP8_TYPES_EXIST__

namespace kgrade_emulated {

// Code that the types of 8 bits share. A codec says how a number is stored:
//   encode(double)          the code, saturated to finite numbers; NaN has its own
//   decode(unsigned char)   the number
//   is_zero(unsigned char)

// A NaN of any payload becomes the one with all bits set.
constexpr double widen_canonical(float x) {
  return x != x ? bit_cast<double>(0x7fffffffffffffffull) : static_cast<double>(x);
}

// OCP 8-bit Floating Point Specification. `Overflow` is what finite numbers beyond `Largest` and infinities
// become when they are not saturated: E4M3 has no infinity and gives NaN.
template <int MantissaBits, int Bias, unsigned int Largest, unsigned int Overflow>
struct Fp8Codec {
  static constexpr unsigned char encode(double x, bool saturates = true) {
    const unsigned long long bits = bit_cast<unsigned long long>(x);
    const unsigned int sign = is_negative(x) ? 0x80 : 0;
    const unsigned int nan = MantissaBits == 3 ? 0x7f : 0x7e | static_cast<unsigned int>(bits >> 50 & 3);
    if (x != x) return static_cast<unsigned char>(sign | nan);
    const auto magnitude = round_magnitude<MantissaBits, Bias>(x, Rounding::nearest);
    if (magnitude <= Largest) return static_cast<unsigned char>(sign | magnitude);
    return static_cast<unsigned char>(sign | (saturates ? Largest : Overflow));
  }

  // As a half, which can represent all of these numbers.
  static constexpr unsigned short decode_to_half(unsigned char code) {
    const unsigned int sign = code & 0x80u, magnitude = code & 0x7fu;
    if (magnitude > (Overflow == 0x7f ? Largest : Overflow)) return 0x7fff;
    const unsigned int half = sign << 8 | magnitude << (10 - MantissaBits);
    if constexpr (Bias == Binary16::bias) return static_cast<unsigned short>(half);
    constexpr float rebias = static_cast<float>(1 << (Binary16::bias - Bias));
    return Binary16::from_float(Binary16::to_float(static_cast<unsigned short>(half)) * rebias);
  }
  static constexpr float decode(unsigned char code) { return Binary16::to_float(decode_to_half(code)); }
  static constexpr bool is_zero(unsigned char code) { return (code & 0x7f) == 0; }
};

using E4M3 = Fp8Codec<3, 7, 0x7e, 0x7f>;
using E5M2 = Fp8Codec<2, 15, 0x7b, 0x7c>;

// Powers of two from 2^-127 to 2^127 without a sign (OCP Microscaling Formats Specification, "E8M0").
struct E8M0 {
  static constexpr unsigned char encode(double x, bool saturates = true, bool up = true) {
    if (x != x) return 0xff;
    const unsigned long long magnitude = bit_cast<unsigned long long>(x) & 0x7fffffffffffffffull;
    const bool infinite = magnitude == 0x7ffull << 52;
    int code = static_cast<int>(magnitude >> 52) - 1023 + 127;
    if (code < 0) return 0;
    if (up && (magnitude & 0xfffffffffffffull) != 0) ++code;
    if (code <= 0xfe) return static_cast<unsigned char>(code);
    return saturates || (!up && !infinite) ? 0xfe : 0xff;
  }
  static constexpr unsigned short decode_to_bfloat16(unsigned char code) {
    if (code == 0xff) return 0x7fff;
    return code == 0 ? 0x0040 : static_cast<unsigned short>(code << 7);
  }
  static constexpr float decode(unsigned char code) { return BFloat16::to_float(decode_to_bfloat16(code)); }
  static constexpr bool is_zero(unsigned char) { return false; }
};

template <class Codec>
struct Fp8 {
  unsigned char __x;

  Fp8() = default;
  explicit constexpr Fp8(double x) : __x(Codec::encode(x)) {}
  explicit constexpr Fp8(float x) : __x(Codec::encode(widen_canonical(x))) {}
  explicit constexpr Fp8(__half x) : Fp8(value(x)) {}
  explicit constexpr Fp8(__nv_bfloat16 x) : Fp8(value(x)) {}
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  explicit constexpr Fp8(Integer x) : Fp8(widen_integer(x)) {}

  explicit constexpr operator float() const { return Codec::decode(__x); }
  explicit constexpr operator double() const { return Codec::decode(__x); }
  explicit constexpr operator __half() const { return rounded<__half>(Codec::decode(__x)); }
  explicit constexpr operator __nv_bfloat16() const { return rounded<__nv_bfloat16>(Codec::decode(__x)); }
  explicit constexpr operator bool() const { return !Codec::is_zero(__x); }
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  explicit constexpr operator Integer() const {
    return to_integer<Integer>(Codec::decode(__x));
  }
};

template <class Codec>
struct alignas(2) Fp8x2 {
  unsigned short __x;

  Fp8x2() = default;
  constexpr Fp8x2(Fp8<Codec> low, Fp8<Codec> high)
      : __x(static_cast<unsigned short>(low.__x | high.__x << 8)) {}
  explicit constexpr Fp8x2(double2 v) : Fp8x2(Fp8<Codec>(v.x), Fp8<Codec>(v.y)) {}
  explicit constexpr Fp8x2(float2 v) : Fp8x2(Fp8<Codec>(v.x), Fp8<Codec>(v.y)) {}
  explicit constexpr Fp8x2(__half2 v) : Fp8x2(Fp8<Codec>(v.x), Fp8<Codec>(v.y)) {}
  explicit constexpr Fp8x2(__nv_bfloat162 v) : Fp8x2(Fp8<Codec>(v.x), Fp8<Codec>(v.y)) {}

  explicit constexpr operator float2() const { return {part(0), part(8)}; }
  explicit constexpr operator __half2() const { return {rounded<__half>(part(0)), rounded<__half>(part(8))}; }
  explicit constexpr operator __nv_bfloat162() const {
    return {rounded<__nv_bfloat16>(part(0)), rounded<__nv_bfloat16>(part(8))};
  }

 private:
  constexpr float part(int shift) const { return Codec::decode(static_cast<unsigned char>(__x >> shift)); }
};

template <class Codec>
struct alignas(4) Fp8x4 {
  unsigned int __x;

  Fp8x4() = default;
  constexpr Fp8x4(Fp8x2<Codec> low, Fp8x2<Codec> high)
      : __x(low.__x | static_cast<unsigned int>(high.__x) << 16) {}
  explicit constexpr Fp8x4(double4 v)
      : Fp8x4(Fp8x2<Codec>(double2{v.x, v.y}), Fp8x2<Codec>(double2{v.z, v.w})) {}
  explicit constexpr Fp8x4(float4 v)
      : Fp8x4(Fp8x2<Codec>(float2{v.x, v.y}), Fp8x2<Codec>(float2{v.z, v.w})) {}
  explicit constexpr Fp8x4(__half2 low, __half2 high) : Fp8x4(Fp8x2<Codec>(low), Fp8x2<Codec>(high)) {}
  explicit constexpr Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : Fp8x4(Fp8x2<Codec>(low), Fp8x2<Codec>(high)) {}

  explicit constexpr operator float4() const { return {part(0), part(8), part(16), part(24)}; }

 private:
  constexpr float part(int shift) const { return Codec::decode(static_cast<unsigned char>(__x >> shift)); }
};

}  // namespace kgrade_emulated

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Structs instead of aliases, since programs forward-declare them.
#define KGRADE_FP8(suffix, codec)                                               \
  struct __nv_fp8_##suffix : kgrade_emulated::Fp8<kgrade_emulated::codec> {     \
    using Fp8::Fp8;                                                             \
  };                                                                            \
  struct __nv_fp8x2_##suffix : kgrade_emulated::Fp8x2<kgrade_emulated::codec> { \
    using Fp8x2::Fp8x2;                                                         \
  };                                                                            \
  struct __nv_fp8x4_##suffix : kgrade_emulated::Fp8x4<kgrade_emulated::codec> { \
    using Fp8x4::Fp8x4;                                                         \
  };
KGRADE_FP8(e4m3, E4M3)
KGRADE_FP8(e5m2, E5M2)
KGRADE_FP8(e8m0, E8M0)
#undef KGRADE_FP8

constexpr __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t interpretation) {
  const bool saturates = saturation == __NV_SATFINITE;
  return interpretation == __NV_E4M3 ? kgrade_emulated::E4M3::encode(x, saturates)
                                     : kgrade_emulated::E5M2::encode(x, saturates);
}

#define KGRADE_TO_FP8(name, type, widened)                                                                \
  constexpr __nv_fp8_storage_t name(type x, __nv_saturation_t saturation,                                 \
                                    __nv_fp8_interpretation_t interpretation) {                           \
    return __nv_cvt_double_to_fp8(kgrade_emulated::widen_canonical(widened), saturation, interpretation); \
  }
#define KGRADE_TO_FP8X2(name, type, scalar_name, scalar_type)                                            \
  constexpr __nv_fp8x2_storage_t name(type v, __nv_saturation_t saturation,                              \
                                      __nv_fp8_interpretation_t interpretation) {                        \
    return static_cast<__nv_fp8x2_storage_t>(scalar_name(scalar_type{v.x}, saturation, interpretation) | \
                                             scalar_name(scalar_type{v.y}, saturation, interpretation)   \
                                                 << 8);                                                  \
  }
KGRADE_TO_FP8(__nv_cvt_float_to_fp8, float, x)
KGRADE_TO_FP8(__nv_cvt_halfraw_to_fp8, __half_raw, kgrade_emulated::Binary16::to_float(x.x))
KGRADE_TO_FP8(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, kgrade_emulated::BFloat16::to_float(x.x))
KGRADE_TO_FP8X2(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, double)
KGRADE_TO_FP8X2(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, float)
KGRADE_TO_FP8X2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw)
KGRADE_TO_FP8X2(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                __nv_bfloat16_raw)
#undef KGRADE_TO_FP8X2
#undef KGRADE_TO_FP8

constexpr __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t interpretation) {
  return {interpretation == __NV_E4M3 ? kgrade_emulated::E4M3::decode_to_half(x)
                                      : kgrade_emulated::E5M2::decode_to_half(x)};
}
constexpr __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t interpretation) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), interpretation).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), interpretation).x};
}

// Rounds to zero or up, as `rounding` is cudaRoundZero or cudaRoundPosInf.
#define KGRADE_TO_E8M0(name, pair_name, type, pair_type, widened)                                   \
  constexpr __nv_fp8_storage_t name(type x, __nv_saturation_t saturation, cudaRoundMode rounding) { \
    return kgrade_emulated::E8M0::encode(widened, saturation == __NV_SATFINITE,                     \
                                         rounding == cudaRoundPosInf);                              \
  }                                                                                                 \
  constexpr __nv_fp8x2_storage_t pair_name(pair_type v, __nv_saturation_t saturation,               \
                                           cudaRoundMode rounding) {                                \
    return static_cast<__nv_fp8x2_storage_t>(name(type{v.x}, saturation, rounding) |                \
                                             name(type{v.y}, saturation, rounding) << 8);           \
  }
KGRADE_TO_E8M0(__nv_cvt_double_to_e8m0, __nv_cvt_double2_to_e8m0x2, double, double2, x)
KGRADE_TO_E8M0(__nv_cvt_float_to_e8m0, __nv_cvt_float2_to_e8m0x2, float, float2, x)
KGRADE_TO_E8M0(__nv_cvt_bfloat16raw_to_e8m0, __nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat16_raw,
               __nv_bfloat162_raw, kgrade_emulated::BFloat16::to_float(x.x))
#undef KGRADE_TO_E8M0

constexpr __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {kgrade_emulated::E8M0::decode_to_bfloat16(x)};
}
constexpr __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {kgrade_emulated::E8M0::decode_to_bfloat16(static_cast<__nv_fp8_storage_t>(x)),
          kgrade_emulated::E8M0::decode_to_bfloat16(static_cast<__nv_fp8_storage_t>(x >> 8))};
}
