// Floating-point functions beyond those of <math.h> (CUDA Math API manual). The approximate intrinsics
// (__expf and its like) are the exact functions here; a GPU's differ in the last bits.
#pragma once

#include <cmath>
#include <cstdlib>

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

// Defined in the runtime, since they are long and seldom used. The float functions round the results of the
// double functions.
#define KGRADE_FUNCTION(name)                                                   \
  double name(double x);                                                        \
  inline float name##f(float x) { return static_cast<float>(name(double(x))); } \
  inline float name(float x) { return name##f(x); }
KGRADE_FUNCTION(rcbrt)
KGRADE_FUNCTION(sinpi)
KGRADE_FUNCTION(cospi)
KGRADE_FUNCTION(normcdf)
KGRADE_FUNCTION(normcdfinv)
KGRADE_FUNCTION(erfinv)
KGRADE_FUNCTION(erfcinv)
KGRADE_FUNCTION(erfcx)
KGRADE_FUNCTION(cyl_bessel_i0)
KGRADE_FUNCTION(cyl_bessel_i1)
#undef KGRADE_FUNCTION

inline void sincospi(double x, double* s, double* c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(float x, float* s, float* c) { sincospif(x, s, c); }
// C++ overloads that <cmath> lacks.
inline void sincos(float x, float* s, float* c) { ::sincosf(x, s, c); }
inline float exp10(float x) { return ::exp10f(x); }
inline float j0(float x) { return ::j0f(x); }
inline float j1(float x) { return ::j1f(x); }
inline float jn(int n, float x) { return ::jnf(n, x); }
inline float y0(float x) { return ::y0f(x); }
inline float y1(float x) { return ::y1f(x); }
inline float yn(int n, float x) { return ::ynf(n, x); }

// The length of a vector of any dimension, without overflow on the way.
double norm(int dimension, const double* x);
float normf(int dimension, const float* x);
inline double rnorm(int dimension, const double* x) { return 1.0 / norm(dimension, x); }
float rnormf(int dimension, const float* x);
inline float norm(int dimension, const float* x) { return normf(dimension, x); }
inline float rnorm(int dimension, const float* x) { return rnormf(dimension, x); }

#define KGRADE_LENGTH(name, parameters, single_parameters, ...)        \
  inline double name parameters {                                      \
    const double all[] = {__VA_ARGS__};                                \
    return norm(sizeof all / sizeof *all, all);                        \
  }                                                                    \
  inline double r##name parameters { return 1.0 / name(__VA_ARGS__); } \
  inline float name##f single_parameters {                             \
    const float all[] = {__VA_ARGS__};                                 \
    return normf(sizeof all / sizeof *all, all);                       \
  }                                                                    \
  inline float r##name##f single_parameters {                          \
    const float all[] = {__VA_ARGS__};                                 \
    return rnormf(sizeof all / sizeof *all, all);                      \
  }                                                                    \
  inline float name single_parameters { return name##f(__VA_ARGS__); } \
  inline float r##name single_parameters { return r##name##f(__VA_ARGS__); }
KGRADE_LENGTH(norm3d, (double x, double y, double z), (float x, float y, float z), x, y, z)
KGRADE_LENGTH(norm4d, (double x, double y, double z, double w), (float x, float y, float z, float w), x, y, z,
              w)
#undef KGRADE_LENGTH
inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
inline float rhypotf(float x, float y) { return static_cast<float>(rhypot(double(x), double(y))); }
inline float rhypot(float x, float y) { return rhypotf(x, y); }

inline float fdividef(float x, float y) { return x / y; }
inline float fdivide(float x, float y) { return x / y; }
inline double fdivide(double x, double y) { return x / y; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline void __sincosf(float x, float* s, float* c) { *s = ::sinf(x), *c = ::cosf(x); }
inline float __tanhf(float x) { return ::tanhf(x); }

// The C library declares these names for its own use; the definitions have to agree with it.
extern "C" {
inline float __expf(float x) noexcept { return ::expf(x); }
inline float __exp10f(float x) noexcept { return ::exp10f(x); }
inline float __logf(float x) noexcept { return ::logf(x); }
inline float __log2f(float x) noexcept { return ::log2f(x); }
inline float __log10f(float x) noexcept { return ::log10f(x); }
inline float __powf(float x, float y) noexcept { return ::powf(x, y); }
inline float __sinf(float x) noexcept { return ::sinf(x); }
inline float __cosf(float x) noexcept { return ::cosf(x); }
inline float __tanf(float x) noexcept { return ::tanf(x); }
}
