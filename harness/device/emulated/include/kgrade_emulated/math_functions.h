// Floating-point functions beyond those of <math.h> (CUDA Math API manual). The approximate intrinsics
// (__expf and its like) are the exact functions here; a GPU's differ in the last bits.
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>

// As CUDA's: a NaN gives way to a number.
#define KGRADE_MIN_MAX(a_type, b_type, type)                                             \
  constexpr type min(a_type a, b_type b) { return a < b || b != b ? type(a) : type(b); } \
  constexpr type max(a_type a, b_type b) { return a > b || b != b ? type(a) : type(b); }
KGRADE_MIN_MAX(float, float, float)
KGRADE_MIN_MAX(double, double, double)
KGRADE_MIN_MAX(float, double, double)
KGRADE_MIN_MAX(double, float, double)
#undef KGRADE_MIN_MAX

inline float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / ::cbrt(x); }
inline float rhypotf(float x, float y) { return 1.0f / ::hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
inline float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / std::hypot(x, y, z); }
inline float norm4df(float x, float y, float z, float w) { return ::hypotf(::hypotf(x, y), ::hypotf(z, w)); }
inline float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }

// Reduced before the multiplication, so that whole and half arguments give exact results.
inline double sinpi(double x) {
  const double r = ::fmod(x, 2.0);
  if (r == 0.0 || r == 1.0 || r == -1.0) return ::copysign(0.0, x);
  return ::sin(r * 3.14159265358979323846);
}
inline double cospi(double x) {
  const double r = ::fabs(::fmod(x, 2.0));
  if (r == 0.5 || r == 1.5) return 0.0;
  return ::cos(r * 3.14159265358979323846);
}
inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
inline float cospif(float x) { return static_cast<float>(cospi(x)); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }

inline double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
inline double erfcx(double x) { return ::exp(x * x) * ::erfc(x); }
inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }

inline float fdividef(float x, float y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline void __sincosf(float x, float* s, float* c) { *s = ::sinf(x), *c = ::cosf(x); }
inline float __tanhf(float x) { return ::tanhf(x); }

// The C library declares these names for its own use; the definitions have to agree with it.
extern "C" {
inline float __expf(float x) noexcept { return ::expf(x); }
inline float __exp10f(float x) noexcept { return ::powf(10.0f, x); }
inline float __logf(float x) noexcept { return ::logf(x); }
inline float __log2f(float x) noexcept { return ::log2f(x); }
inline float __log10f(float x) noexcept { return ::log10f(x); }
inline float __powf(float x, float y) noexcept { return ::powf(x, y); }
inline float __sinf(float x) noexcept { return ::sinf(x); }
inline float __cosf(float x) noexcept { return ::cosf(x); }
inline float __tanf(float x) noexcept { return ::tanf(x); }
}

// Rounding to nearest is what the host does. The other modes differ in the last bit at most and are worked
// out from the exact result in a wider type.
namespace kgrade_emulated {

inline float rounded_down(double exact) {
  const float nearest = static_cast<float>(exact);
  return nearest > exact ? ::nextafterf(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}
inline float rounded_up(double exact) {
  const float nearest = static_cast<float>(exact);
  return nearest < exact ? ::nextafterf(nearest, std::numeric_limits<float>::infinity()) : nearest;
}
inline float rounded_to_zero(double exact) { return exact < 0 ? rounded_up(exact) : rounded_down(exact); }

}  // namespace kgrade_emulated

#define KGRADE_ROUNDED(name, parameters, single, wide)                                 \
  inline float name##_rn parameters { return single; }                                 \
  inline float name##_rz parameters { return kgrade_emulated::rounded_to_zero(wide); } \
  inline float name##_rd parameters { return kgrade_emulated::rounded_down(wide); }    \
  inline float name##_ru parameters { return kgrade_emulated::rounded_up(wide); }
KGRADE_ROUNDED(__fadd, (float x, float y), x + y, static_cast<double>(x) + y)
KGRADE_ROUNDED(__fsub, (float x, float y), x - y, static_cast<double>(x) - y)
KGRADE_ROUNDED(__fmul, (float x, float y), x* y, static_cast<double>(x) * y)
KGRADE_ROUNDED(__fdiv, (float x, float y), x / y, static_cast<double>(x) / y)
KGRADE_ROUNDED(__fmaf, (float x, float y, float z), ::fmaf(x, y, z), static_cast<double>(x) * y + z)
KGRADE_ROUNDED(__frcp, (float x), 1.0f / x, 1.0 / static_cast<double>(x))
KGRADE_ROUNDED(__fsqrt, (float x), ::sqrtf(x), ::sqrt(static_cast<double>(x)))
#undef KGRADE_ROUNDED

inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return ::sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return ::fma(x, y, z); }
