// What the types of 8 bits share. A codec says how a number is stored:
//   encode(double)          the code, saturated to finite numbers; NaN has its own
//   decode(unsigned char)   the number
//   is_zero(unsigned char)
#pragma once

#include "cuda_bf16.h"
#include "kgrade_emulated/low_precision_rounding.h"

namespace kgrade_emulated {

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

  // As a half, which holds all of them.
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
