// c10::Half and c10::BFloat16: two bytes that convert to and from float, on the host and in kernels. They
// also convert to and from CUDA's own types. CUDA's headers are not included here, since they would double
// the time of a compile.
#pragma once

#include <limits>
#include <type_traits>

#include "kgrade_extension/macros.h"

struct __half;
struct __nv_bfloat16;

namespace c10 {

template <class To, class From>
C10_HOST_DEVICE To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same_bits: types of different size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

C10_HOST_DEVICE inline float half_to_float(uint16_t bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t mantissa = bits & 0x3ffu;
  // A subnormal half is exactly mantissa * 2^-24.
  if (exponent == 0)
    return same_bits<float>(sign | same_bits<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
  if (exponent == 31) return same_bits<float>(sign | 0x7f800000u | (mantissa << 13));
  return same_bits<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
#endif
}

// Rounds to nearest, ties to even.
C10_HOST_DEVICE inline uint16_t float_to_half(float value) {
#if defined(__CUDA_ARCH__)
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const uint32_t all = same_bits<uint32_t>(value);
  const uint32_t sign = (all >> 16) & 0x8000u;
  const uint32_t magnitude = all & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
  if (magnitude < 0x38800000u) {
    // Adding 0.5 leaves the subnormal half in the last bits of the sum. The addition rounds it.
    const float sum = same_bits<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (same_bits<uint32_t>(sum) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
#endif
}

C10_HOST_DEVICE inline float bfloat16_to_float(uint16_t bits) {
  return same_bits<float>(static_cast<uint32_t>(bits) << 16);
}

C10_HOST_DEVICE inline uint16_t float_to_bfloat16(float value) {
  if (value != value) return 0x7fc0;
  const uint32_t bits = same_bits<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

#define KGRADE_SHORT_FLOAT(Name, CudaName, to_float, from_float)                       \
  struct alignas(2) Name {                                                             \
    unsigned short x;                                                                  \
    struct from_bits_t {};                                                             \
    C10_HOST_DEVICE static constexpr from_bits_t from_bits() { return from_bits_t(); } \
    Name() = default;                                                                  \
    constexpr C10_HOST_DEVICE Name(unsigned short bits, from_bits_t) : x(bits) {}      \
    C10_HOST_DEVICE Name(float value) : x(from_float(value)) {}                        \
    C10_HOST_DEVICE operator float() const { return to_float(x); }                     \
    template <class T, std::enable_if_t<std::is_same<T, CudaName>::value, int> = 0>    \
    C10_HOST_DEVICE Name(const T& value) : x(same_bits<unsigned short>(value)) {}      \
    template <class T, std::enable_if_t<std::is_same<T, CudaName>::value, int> = 0>    \
    C10_HOST_DEVICE operator T() const {                                               \
      return same_bits<T>(x);                                                          \
    }                                                                                  \
  };                                                                                   \
  KGRADE_SHORT_FLOAT_OPERATOR(Name, +)                                                 \
  KGRADE_SHORT_FLOAT_OPERATOR(Name, -)                                                 \
  KGRADE_SHORT_FLOAT_OPERATOR(Name, *)                                                 \
  KGRADE_SHORT_FLOAT_OPERATOR(Name, /)                                                 \
  C10_HOST_DEVICE inline Name operator-(Name a) { return -static_cast<float>(a); }

#define KGRADE_SHORT_FLOAT_OPERATOR(Name, op)                                                              \
  C10_HOST_DEVICE inline Name operator op(Name a, Name b) { return float(a) op float(b); }                 \
  C10_HOST_DEVICE inline float operator op(Name a, float b) { return float(a) op b; }                      \
  C10_HOST_DEVICE inline float operator op(float a, Name b) { return a op float(b); }                      \
  C10_HOST_DEVICE inline double operator op(Name a, double b) { return double(float(a)) op b; }            \
  C10_HOST_DEVICE inline double operator op(double a, Name b) { return a op double(float(b)); }            \
  C10_HOST_DEVICE inline Name operator op(Name a, int b) { return float(a) op float(Name(float(b))); }     \
  C10_HOST_DEVICE inline Name operator op(int a, Name b) { return float(Name(float(a))) op float(b); }     \
  C10_HOST_DEVICE inline Name operator op(Name a, int64_t b) { return float(a) op float(Name(float(b))); } \
  C10_HOST_DEVICE inline Name operator op(int64_t a, Name b) { return float(Name(float(a))) op float(b); } \
  C10_HOST_DEVICE inline Name& operator op##=(Name& a, Name b) { return a = a op b; }                      \
  C10_HOST_DEVICE inline float& operator op##=(float& a, Name b) { return a = a op float(b); }

KGRADE_SHORT_FLOAT(Half, __half, half_to_float, float_to_half)
KGRADE_SHORT_FLOAT(BFloat16, __nv_bfloat16, bfloat16_to_float, float_to_bfloat16)
#undef KGRADE_SHORT_FLOAT_OPERATOR
#undef KGRADE_SHORT_FLOAT

}  // namespace c10

#define KGRADE_LIMITS(Name, digits_, digits10_, max_digits10_, min_e, min_e10, max_e, max_e10, MIN, LOW, \
                      MAX, EPS, INF, NAN_, DENORM)                                                       \
  template <>                                                                                            \
  class std::numeric_limits<c10::Name> : public std::numeric_limits<float> {                             \
    static constexpr c10::Name bits(unsigned short x) { return c10::Name(x, c10::Name::from_bits_t()); } \
                                                                                                         \
   public:                                                                                               \
    static constexpr int digits = digits_, digits10 = digits10_, max_digits10 = max_digits10_;           \
    static constexpr int min_exponent = min_e, min_exponent10 = min_e10;                                 \
    static constexpr int max_exponent = max_e, max_exponent10 = max_e10;                                 \
    static constexpr c10::Name min() { return bits(MIN); }                                               \
    static constexpr c10::Name lowest() { return bits(LOW); }                                            \
    static constexpr c10::Name max() { return bits(MAX); }                                               \
    static constexpr c10::Name epsilon() { return bits(EPS); }                                           \
    static constexpr c10::Name infinity() { return bits(INF); }                                          \
    static constexpr c10::Name quiet_NaN() { return bits(NAN_); }                                        \
    static constexpr c10::Name denorm_min() { return bits(DENORM); }                                     \
  };
KGRADE_LIMITS(Half, 11, 3, 5, -13, -4, 16, 4, 0x0400, 0xFBFF, 0x7BFF, 0x1400, 0x7C00, 0x7E00, 0x0001)
KGRADE_LIMITS(BFloat16, 8, 2, 4, -125, -37, 128, 38, 0x0080, 0xFF7F, 0x7F7F, 0x3C00, 0x7F80, 0x7FC0, 0x0001)
#undef KGRADE_LIMITS
