// Arithmetic with a rounding mode of its own: _rn to nearest, _rz to zero, _rd down, _ru up (CUDA Math API
// manual, "Single" and "Double Precision Intrinsics"). To nearest is what the host does; the other modes are
// in the runtime, where no compiler flag of a contestant can change them.
#pragma once

#include <cmath>

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

// The same whether or not denormals are flushed, which they never are here.
inline float __fmaf_ieee_rn(float x, float y, float z) { return __fmaf_rn(x, y, z); }
inline float __fmaf_ieee_rz(float x, float y, float z) { return __fmaf_rz(x, y, z); }
inline float __fmaf_ieee_rd(float x, float y, float z) { return __fmaf_rd(x, y, z); }
inline float __fmaf_ieee_ru(float x, float y, float z) { return __fmaf_ru(x, y, z); }

// Correctly rounded, which 1 / sqrt(x) in float is not.
float __frsqrt_rn(float x);
