// Conversions and reinterpretations (CUDA Math API manual, "Type Casting Intrinsics"). Out of range, integers
// saturate and NaN becomes 0, as on a GPU.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return std::bit_cast<unsigned int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(std::bit_cast<unsigned long long>(x)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned int>(high)) << 32 |
                               static_cast<unsigned int>(low));
}

namespace kgrade_emulated {

template <class Integer, class Real>
Integer saturate(Real integral) {
  if (integral != integral) return 0;
  if (integral >= std::ldexp(Real(1), std::numeric_limits<Integer>::digits))
    return std::numeric_limits<Integer>::max();
  if (integral <= static_cast<Real>(std::numeric_limits<Integer>::min()))
    return std::numeric_limits<Integer>::min();
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

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
