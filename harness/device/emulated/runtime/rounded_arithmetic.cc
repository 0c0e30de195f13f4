// Arithmetic in the directed rounding modes. Results are computed from the nearest result and the exact sign
// of its error. The processor's rounding mode is not changed, because compilers move arithmetic across such
// changes.
#include "kgrade_emulated/rounded_arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace {

enum class Rounding { to_zero, down, up };

int sign_of(double x) { return (x > 0) - (x < 0); }

// `error` is the sign of the exact result minus `nearest`.
template <class Real>
Real rounded(Real nearest, int error, Rounding mode) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  const bool downward = mode == Rounding::down || (mode == Rounding::to_zero && nearest > 0);
  const bool upward = mode == Rounding::up || (mode == Rounding::to_zero && nearest < 0);
  if (downward && error < 0) return std::nextafter(nearest, -infinity);
  if (upward && error > 0) return std::nextafter(nearest, infinity);
  return nearest;
}

// A sum that is exactly zero is +0, or -0 when rounding down. If both terms are zeros of the same sign, the
// sum has that sign.
template <class Real>
Real rounded_sum(Real nearest, int error, Rounding mode, bool same_sign) {
  if (mode == Rounding::down && nearest == 0 && error == 0 && !same_sign) return -Real(0);
  return rounded(nearest, error, mode);
}

// The rounding error of sum = a + b.
double sum_error(double a, double b, double sum) {
  if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
  return b - (sum - a);
}

// The sign of sum + error - nearest, where |error| is at most half of a unit of sum. NaN gives 0.
int float_error(double sum, double error, float nearest) {
  return sum != nearest ? sign_of(sum - nearest) : sign_of(error);
}

float add(float x, float y, Rounding mode) {
  const double sum = static_cast<double>(x) + y;
  const float nearest = x + y;
  const int error = float_error(sum, sum_error(x, y, sum), nearest);
  return rounded_sum(nearest, error, mode, std::signbit(x) == std::signbit(y));
}

// The product of two floats is exact in double, and so are the comparisons below.
float multiply(float x, float y, Rounding mode) {
  const float nearest = x * y;
  return rounded(nearest, float_error(static_cast<double>(x) * y, 0, nearest), mode);
}

float multiply_add(float x, float y, float z, Rounding mode) {
  const double product = static_cast<double>(x) * y;
  const double sum = product + z;
  const float nearest = std::fma(x, y, z);
  const int error = float_error(sum, sum_error(product, z, sum), nearest);
  return rounded_sum(nearest, error, mode, std::signbit(product) == std::signbit(z));
}

float divide(float x, float y, Rounding mode) {
  const float nearest = x / y;
  const int error = sign_of(x - static_cast<double>(nearest) * y);
  return rounded(nearest, std::signbit(y) ? -error : error, mode);
}

float square_root(float x, Rounding mode) {
  const float nearest = std::sqrt(x);
  return rounded(nearest, sign_of(x - static_cast<double>(nearest) * nearest), mode);
}

// A number as fraction * 2^exponent, with |fraction| in [1/2, 1) or 0.
struct Scaled {
  explicit Scaled(double x) : fraction(std::frexp(x, &exponent)) {}
  int exponent = 0;
  double fraction;
};

// Whether finite operands overflowed. The infinity is then larger in magnitude than the exact result.
bool is_overflow(double nearest, std::initializer_list<double> operands) {
  return std::isinf(nearest) &&
         std::all_of(operands.begin(), operands.end(), [](double x) { return std::isfinite(x); });
}

double add(double x, double y, Rounding mode) {
  const double nearest = x + y;
  const int error = is_overflow(nearest, {x, y}) ? -sign_of(nearest) : sign_of(sum_error(x, y, nearest));
  return rounded_sum(nearest, error, mode, std::signbit(x) == std::signbit(y));
}

// The sign of the sum of four numbers. Adds each to an expansion: numbers whose bits do not overlap and
// whose sum is exact. The last number is larger than all others together.
int sign_of_sum(const std::array<double, 4>& terms) {
  std::array<double, 4> expansion{};
  for (std::size_t count = 0; count < terms.size(); ++count) {
    double carry = terms[count];
    for (std::size_t i = 0; i < count; ++i) {
      const double sum = carry + expansion[i];
      expansion[i] = sum_error(carry, expansion[i], sum);
      carry = sum;
    }
    expansion[count] = carry;
  }
  for (std::size_t i = expansion.size(); i-- > 0;) {
    if (expansion[i] != 0) return sign_of(expansion[i]);
  }
  return 0;
}

// The sign of x * y + z - nearest. In units of the product's exponent the product is in [1/4, 1). If the
// product or z is smaller than the other by a factor of 2^900 or more, only its sign matters.
int multiply_add_error(double x, double y, double z, double nearest) {
  constexpr int far = 900;
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return 0;
  if (std::isinf(nearest)) return -sign_of(nearest);
  if (x == 0 || y == 0) return 0;
  const Scaled a(x), b(y), c(z), r(nearest);
  const int unit = a.exponent + b.exponent;
  const double product = a.fraction * b.fraction;
  const double product_error = std::fma(a.fraction, b.fraction, -product);
  if (z != 0 && c.exponent - unit > far) return sign_of(product);
  const double addend = std::ldexp(c.fraction, std::max(c.exponent - unit, -far));
  return sign_of_sum({product_error, product, addend, -std::ldexp(r.fraction, r.exponent - unit)});
}

double multiply_add(double x, double y, double z, Rounding mode) {
  const double nearest = std::fma(x, y, z);
  const bool same_sign = (std::signbit(x) != std::signbit(y)) == std::signbit(z);
  return rounded_sum(nearest, multiply_add_error(x, y, z, nearest), mode, same_sign);
}

double multiply(double x, double y, Rounding mode) {
  const double nearest = x * y;
  return rounded(nearest, multiply_add_error(x, y, 0, nearest), mode);
}

int divide_error(double x, double y, double nearest) {
  if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) return 0;
  if (std::isinf(nearest)) return -sign_of(nearest);
  const int sign = sign_of(x) * sign_of(y);
  if (nearest == 0) return sign;
  const Scaled a(x), b(y), q(nearest);
  const double dividend = std::ldexp(a.fraction, a.exponent - b.exponent - q.exponent);
  return -sign_of(std::fma(q.fraction, b.fraction, -dividend)) * sign_of(y);
}

double divide(double x, double y, Rounding mode) {
  const double nearest = x / y;
  return rounded(nearest, divide_error(x, y, nearest), mode);
}

double square_root(double x, Rounding mode) {
  const double nearest = std::sqrt(x);
  if (!std::isfinite(nearest)) return nearest;
  // Numbers are scaled up, so that the error of the square is not denormal.
  const double root = nearest * 0x1p+200, square = x < 0x1p+500 ? x * 0x1p+400 : x;
  const int error =
      x < 0x1p+500 ? -sign_of(std::fma(root, root, -square)) : -sign_of(std::fma(nearest, nearest, -x));
  return rounded(nearest, error, mode);
}

float to_float(double x, Rounding mode) {
  const auto nearest = static_cast<float>(x);
  return rounded(nearest, sign_of(x - nearest), mode);
}

// Converts an integer. The nearest float or double of an integer is a whole number below 2^65.
template <class Real, class Integer>
Real from_integer(Integer x, Rounding mode) {
  const auto nearest = static_cast<Real>(x);
  __extension__ using Wide = __int128;
  const Wide exact = x, rounded_to = static_cast<Wide>(nearest);
  return rounded(nearest, (exact > rounded_to) - (exact < rounded_to), mode);
}

}  // namespace

#define KGRADE_MODES(real, name, parameters, call, ...)                      \
  real name##_rz parameters { return call(__VA_ARGS__, Rounding::to_zero); } \
  real name##_rd parameters { return call(__VA_ARGS__, Rounding::down); }    \
  real name##_ru parameters { return call(__VA_ARGS__, Rounding::up); }

KGRADE_MODES(float, __fadd, (float x, float y), add, x, y)
KGRADE_MODES(float, __fsub, (float x, float y), add, x, -y)
KGRADE_MODES(float, __fmul, (float x, float y), multiply, x, y)
KGRADE_MODES(float, __fdiv, (float x, float y), divide, x, y)
KGRADE_MODES(float, __fmaf, (float x, float y, float z), multiply_add, x, y, z)
KGRADE_MODES(float, __frcp, (float x), divide, 1.0f, x)
KGRADE_MODES(float, __fsqrt, (float x), square_root, x)
KGRADE_MODES(double, __dadd, (double x, double y), add, x, y)
KGRADE_MODES(double, __dsub, (double x, double y), add, x, -y)
KGRADE_MODES(double, __dmul, (double x, double y), multiply, x, y)
KGRADE_MODES(double, __ddiv, (double x, double y), divide, x, y)
KGRADE_MODES(double, __fma, (double x, double y, double z), multiply_add, x, y, z)
KGRADE_MODES(double, __drcp, (double x), divide, 1.0, x)
KGRADE_MODES(double, __dsqrt, (double x), square_root, x)
KGRADE_MODES(float, __int2float, (int x), from_integer<float>, x)
KGRADE_MODES(float, __uint2float, (unsigned int x), from_integer<float>, x)
KGRADE_MODES(float, __ll2float, (long long x), from_integer<float>, x)
KGRADE_MODES(float, __ull2float, (unsigned long long x), from_integer<float>, x)
KGRADE_MODES(double, __ll2double, (long long x), from_integer<double>, x)
KGRADE_MODES(double, __ull2double, (unsigned long long x), from_integer<double>, x)
KGRADE_MODES(float, __double2float, (double x), to_float, x)

// In double the relative error of the result is less than 2^-52, so only a value next to the middle between
// two floats could be rounded to the wrong float. Comparing x * middle^2 with 1 decides; the first product is
// exact.
float __frsqrt_rn(float x) {
  const double close = 1.0 / std::sqrt(static_cast<double>(x));
  const auto nearest = static_cast<float>(close);
  if (!std::isfinite(nearest) || nearest == 0) return nearest;
  const float other =
      std::nextafter(nearest, close > nearest ? std::numeric_limits<float>::infinity() : 0.0f);
  const double middle = (static_cast<double>(nearest) + other) / 2;
  const int below = sign_of(std::fma(middle * middle, static_cast<double>(x), -1.0));
  const bool exact_is_larger = below < 0;
  return (other > nearest) == exact_is_larger && below != 0 ? other : nearest;
}
