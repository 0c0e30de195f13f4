// Arithmetic and conversions with a rounding mode of their own: _rn to nearest, _rz to zero, _rd down, _ru up
// (CUDA Math API manual, "Single" and "Double Precision Intrinsics", "Type Casting Intrinsics"). The host
// rounds to nearest; the other modes are in the runtime, where no compiler flag of a contestant can change
// them.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "kgrade_emulated/bits.h"

#define KGRADE_ROUNDED(real, name, parameters, nearest) \
  inline real name##_rn parameters { return nearest; }  \
  real name##_rz parameters;                            \
  real name##_rd parameters;                            \
  real name##_ru parameters;
KGRADE_ROUNDED(float, __fadd, (float x, float y), x + y)
KGRADE_ROUNDED(float, __fsub, (float x, float y), x - y)
KGRADE_ROUNDED(float, __fmul, (float x, float y), x* y)
KGRADE_ROUNDED(float, __fdiv, (float x, float y), x / y)
KGRADE_ROUNDED(float, __fmaf, (float x, float y, float z), ::fmaf(x, y, z))
KGRADE_ROUNDED(float, __frcp, (float x), 1.0f / x)
KGRADE_ROUNDED(float, __fsqrt, (float x), ::sqrtf(x))
KGRADE_ROUNDED(double, __dadd, (double x, double y), x + y)
KGRADE_ROUNDED(double, __dsub, (double x, double y), x - y)
KGRADE_ROUNDED(double, __dmul, (double x, double y), x* y)
KGRADE_ROUNDED(double, __ddiv, (double x, double y), x / y)
KGRADE_ROUNDED(double, __fma, (double x, double y, double z), ::fma(x, y, z))
KGRADE_ROUNDED(double, __drcp, (double x), 1.0 / x)
KGRADE_ROUNDED(double, __dsqrt, (double x), ::sqrt(x))
#undef KGRADE_ROUNDED

// The _ieee functions never flush denormals, and here no function does.
inline float __fmaf_ieee_rn(float x, float y, float z) { return __fmaf_rn(x, y, z); }
inline float __fmaf_ieee_rz(float x, float y, float z) { return __fmaf_rz(x, y, z); }
inline float __fmaf_ieee_rd(float x, float y, float z) { return __fmaf_rd(x, y, z); }
inline float __fmaf_ieee_ru(float x, float y, float z) { return __fmaf_ru(x, y, z); }

// Correctly rounded, which 1 / sqrt(x) in float is not.
float __frsqrt_rn(float x);

// Conversions and reinterpretations. To an integer, values out of range saturate; NaN gives 0 in 32 bits from
// float and only the highest bit otherwise (PTX ISA, "cvt").

inline int __float_as_int(float x) { return kgrade_emulated::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return kgrade_emulated::bit_cast<unsigned int>(x); }
inline float __int_as_float(int x) { return kgrade_emulated::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return kgrade_emulated::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return kgrade_emulated::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return kgrade_emulated::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return kgrade_emulated::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned int>(high))
                                               << 32 |
                                           static_cast<unsigned int>(low));
}

namespace kgrade_emulated {

template <class Integer, class Real>
Integer saturate(Real integral) {
  using Limits = std::numeric_limits<Integer>;
  constexpr Real highest_bit = static_cast<Real>(Limits::max() / 2 + 1);
  constexpr Real beyond = highest_bit * 2;
  if (integral != integral) {
    if (sizeof(Real) == 4 && sizeof(Integer) == 4) return 0;
    return std::is_signed_v<Integer> ? Limits::min() : static_cast<Integer>(Limits::max() / 2 + 1);
  }
  if (integral >= beyond) return Limits::max();
  if (integral <= static_cast<Real>(Limits::min())) return Limits::min();
  return static_cast<Integer>(integral);
}

}  // namespace kgrade_emulated

#define KGRADE_TO_INTEGER(name, real, integer)                                                       \
  inline integer name##_rn(real x) { return kgrade_emulated::saturate<integer>(std::nearbyint(x)); } \
  inline integer name##_rz(real x) { return kgrade_emulated::saturate<integer>(std::trunc(x)); }     \
  inline integer name##_rd(real x) { return kgrade_emulated::saturate<integer>(std::floor(x)); }     \
  inline integer name##_ru(real x) { return kgrade_emulated::saturate<integer>(std::ceil(x)); }
KGRADE_TO_INTEGER(__float2int, float, int)
KGRADE_TO_INTEGER(__float2uint, float, unsigned int)
KGRADE_TO_INTEGER(__float2ll, float, long long)
KGRADE_TO_INTEGER(__float2ull, float, unsigned long long)
KGRADE_TO_INTEGER(__double2int, double, int)
KGRADE_TO_INTEGER(__double2uint, double, unsigned int)
KGRADE_TO_INTEGER(__double2ll, double, long long)
KGRADE_TO_INTEGER(__double2ull, double, unsigned long long)
#undef KGRADE_TO_INTEGER

// The host rounds to nearest; the directed conversions are in the runtime.
#define KGRADE_TO_REAL(name, from, to)                       \
  inline to name##_rn(from x) { return static_cast<to>(x); } \
  to name##_rz(from x);                                      \
  to name##_rd(from x);                                      \
  to name##_ru(from x);
KGRADE_TO_REAL(__int2float, int, float)
KGRADE_TO_REAL(__uint2float, unsigned int, float)
KGRADE_TO_REAL(__ll2float, long long, float)
KGRADE_TO_REAL(__ull2float, unsigned long long, float)
KGRADE_TO_REAL(__ll2double, long long, double)
KGRADE_TO_REAL(__ull2double, unsigned long long, double)
KGRADE_TO_REAL(__double2float, double, float)
#undef KGRADE_TO_REAL
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }
