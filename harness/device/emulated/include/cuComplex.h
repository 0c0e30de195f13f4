// Complex numbers of CUDA: pairs of floats and of doubles.
#pragma once

#include <cmath>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

inline cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
inline cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return make_cuFloatComplex(static_cast<float>(x.x), static_cast<float>(x.y));
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return make_cuDoubleComplex(x.x, x.y); }

// The quotient divides both numbers by the size of y first, so that no square overflows.
#define KGRADE_COMPLEX(complex, real, ending, hypotenuse)                                       \
  inline real cuCreal##ending(complex x) { return x.x; }                                        \
  inline real cuCimag##ending(complex x) { return x.y; }                                        \
  inline complex cuConj##ending(complex x) { return complex{x.x, -x.y}; }                       \
  inline complex cuCadd##ending(complex x, complex y) { return complex{x.x + y.x, x.y + y.y}; } \
  inline complex cuCsub##ending(complex x, complex y) { return complex{x.x - y.x, x.y - y.y}; } \
  inline complex cuCmul##ending(complex x, complex y) {                                         \
    return complex{x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                               \
  }                                                                                             \
  inline complex cuCdiv##ending(complex x, complex y) {                                         \
    const real size = std::fabs(y.x) + std::fabs(y.y), inverse = real(1) / size;                \
    const real a = x.x * inverse, b = x.y * inverse, c = y.x * inverse, d = y.y * inverse;      \
    const real square = real(1) / (c * c + d * d);                                              \
    return complex{(a * c + b * d) * square, (b * c - a * d) * square};                         \
  }                                                                                             \
  inline real cuCabs##ending(complex x) { return ::hypotenuse(x.x, x.y); }                      \
  inline complex cuCfma##ending(complex x, complex y, complex z) {                              \
    return cuCadd##ending(cuCmul##ending(x, y), z);                                             \
  }
KGRADE_COMPLEX(cuFloatComplex, float, f, hypotf)
KGRADE_COMPLEX(cuDoubleComplex, double, , hypot)
#undef KGRADE_COMPLEX
