// The mathematical functions of CUDA that the C library lacks. They are computed in long double, whose extra
// bits keep the results within an ulp of the exact ones, and within CUDA's own bounds (Programming Guide,
// "Mathematical Functions").
#include <cmath>
#include <limits>

#include "kgrade_emulated/math_functions.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr long double sqrt_2 = 1.41421356237309504880168872420969808L;
constexpr long double sqrt_pi = 1.77245385090551602729816748334114518L;

// x = n / 2 + rest, with |rest| <= 1/4. Both n and rest are exact. Only n modulo 4 is kept.
struct HalfTurns {
  explicit HalfTurns(double x) {
    const double turn = std::remainder(x, 2.0);
    const double halves = std::rint(2 * turn);
    quarter = static_cast<int>(halves) & 3;
    rest = turn - halves / 2;
  }
  int quarter;
  double rest;
};

double sine_of(HalfTurns turns) {
  const long double angle = pi * turns.rest;
  const long double value = turns.quarter % 2 == 0 ? std::sin(angle) : std::cos(angle);
  return static_cast<double>(turns.quarter < 2 ? value : -value);
}

// y with erfc(y) = x, for x in (0, 1): Halley's method from an asymptotic first guess.
long double inverse_erfc(long double x) {
  const long double t = std::sqrt(-2 * std::log(x / 2));
  long double y = (t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                           (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L)))) /
                  sqrt_2;
  for (int i = 0; i < 4; ++i) {
    const long double error = (std::erfc(y) - x) * sqrt_pi / 2 * std::exp(y * y);
    y += error / (1 + error * y);
  }
  return y;
}

// y with erf(y) = x, for |x| <= 1/2, where erfc() would lose the bits of a small x.
long double inverse_erf_near_zero(long double x) {
  long double y = x * sqrt_pi / 2;
  for (int i = 0; i < 6; ++i) {
    const long double error = (x - std::erf(y)) * sqrt_pi / 2 * std::exp(y * y);
    y += error / (1 - error * y);
  }
  return y;
}

long double inverse_erf(long double x) {
  if (std::fabs(x) <= 0.5L) return inverse_erf_near_zero(x);
  return std::copysign(inverse_erfc(1 - std::fabs(x)), x);
}

// 0 < x < 2
long double inverse_erfc_anywhere(long double x) {
  if (x < 0.5L) return inverse_erfc(x);
  return x <= 1.5L ? inverse_erf_near_zero(1 - x) : -inverse_erfc(2 - x);
}

// exp(x * x) * erfc(x) for x >= 10: the asymptotic series, whose terms shrink until far below an ulp.
long double scaled_erfc_series(long double x) {
  const long double step = -1 / (2 * x * x);
  long double term = 1, sum = 1;
  for (int k = 1; k < 20; ++k) {
    term *= (2 * k - 1) * step;
    sum += term;
  }
  return sum / (x * sqrt_pi);
}

// The modified Bessel function of the first kind, as a series whose terms all have the same sign.
long double bessel_i(int order, long double x) {
  const long double square = x * x / 4;
  long double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; std::fabs(term) > std::fabs(sum) * 1e-21L; ++k) {
    term *= square / (static_cast<long double>(k) * (k + order));
    sum += term;
  }
  return sum;
}

double modified_bessel(int order, double x) {
  constexpr double overflows = 720;
  if (std::isnan(x)) return x;
  if (std::fabs(x) > overflows) return order == 1 ? std::copysign(infinity, x) : infinity;
  return static_cast<double>(bessel_i(order, x));
}

// If one argument is infinite and another NaN, the result is infinite, as for hypot().
template <class Real>
long double length(int dimension, const Real* x) {
  long double most = 0;
  bool unordered = false;
  for (int i = 0; i < dimension; ++i) {
    if (std::isinf(x[i])) return infinity;
    unordered = unordered || std::isnan(x[i]);
    most = std::fmax(most, std::fabs(static_cast<long double>(x[i])));
  }
  if (unordered || most == 0) return unordered ? not_a_number : 0;
  const int scale = std::ilogb(most);
  long double sum = 0;
  for (int i = 0; i < dimension; ++i) {
    const long double scaled = std::scalbn(static_cast<long double>(x[i]), -scale);
    sum += scaled * scaled;
  }
  return std::scalbn(std::sqrt(sum), scale);
}

}  // namespace

double rcbrt(double x) { return static_cast<double>(1 / std::cbrt(static_cast<long double>(x))); }

double sinpi(double x) {
  if (!std::isfinite(x)) return not_a_number;
  const double value = sine_of(HalfTurns(x));
  return value == 0 ? std::copysign(0.0, x) : value;
}

double cospi(double x) {
  if (!std::isfinite(x)) return not_a_number;
  HalfTurns turns(x);
  turns.quarter = (turns.quarter + 1) & 3;
  const double value = sine_of(turns);
  return value == 0 ? 0.0 : value;
}

double normcdf(double x) { return static_cast<double>(std::erfc(-x / sqrt_2) / 2); }

double erfinv(double x) {
  if (std::isnan(x) || std::fabs(x) > 1) return not_a_number;
  if (x == 0 || std::fabs(x) == 1) return x == 0 ? x : std::copysign(infinity, x);
  return static_cast<double>(inverse_erf(x));
}

double erfcinv(double x) {
  if (std::isnan(x) || x < 0 || x > 2) return not_a_number;
  if (x == 0 || x == 2) return x == 0 ? infinity : -infinity;
  return static_cast<double>(inverse_erfc_anywhere(x));
}

double normcdfinv(double x) {
  if (std::isnan(x) || x < 0 || x > 1) return not_a_number;
  if (x == 0 || x == 1) return x == 0 ? -infinity : infinity;
  return static_cast<double>(-sqrt_2 * inverse_erfc_anywhere(2 * static_cast<long double>(x)));
}

double erfcx(double x) {
  constexpr double series_from = 10, overflows_below = -27;
  if (x >= series_from) return std::isinf(x) ? 0 : static_cast<double>(scaled_erfc_series(x));
  if (x < overflows_below) return infinity;
  const long double wide = x;
  return static_cast<double>(std::exp(wide * wide) * std::erfc(wide));
}

double cyl_bessel_i0(double x) { return modified_bessel(0, x); }
double cyl_bessel_i1(double x) { return modified_bessel(1, x); }

double norm(int dimension, const double* x) { return static_cast<double>(length(dimension, x)); }
float normf(int dimension, const float* x) { return static_cast<float>(length(dimension, x)); }
float rnormf(int dimension, const float* x) { return static_cast<float>(1 / length(dimension, x)); }
