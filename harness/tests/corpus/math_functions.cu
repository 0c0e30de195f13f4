// Mathematical functions against the host's in a wider type, within the greatest errors in ulp that the CUDA
// Programming Guide states ("Mathematical Functions").
#include "device_map.h"

namespace {

constexpr int points = 400;

// From low to high, evenly.
__host__ __device__ inline double at(int i, double low, double high) {
  return low + (high - low) * i / (points - 1);
}

// An ulp of T at x.
template <class T>
long double ulp(long double x) {
  const int digits = sizeof(T) == 4 ? 24 : 53, least = sizeof(T) == 4 ? -149 : -1074;
  return x == 0 ? std::ldexp(1.0L, least) : std::ldexp(1.0L, std::max(std::ilogb(x) - digits + 1, least));
}

template <class T, class Exact>
void expect_within(corpus::Report& report, const char* what, const std::vector<T>& actual, double ulps,
                   Exact exact) {
  for (int i = 0; i < points; ++i) {
    const long double expected = exact(i);
    // Half an ulp for the rounding of `expected` itself, which the Guide's errors hold.
    if (std::fabs(actual[i] - expected) <= std::max(ulps, 0.5) * ulp<T>(expected)) continue;
    report.fail(std::string(what) + " at point " + std::to_string(i) + " is " + std::to_string(actual[i]) +
                ", expected " + std::to_string(expected));
  }
}

// Inverts a growing function by bisection.
template <class F>
long double inverse(F function, long double y, long double low, long double high) {
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (function(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}

const long double pi = std::acos(-1.0L);

// The integral that defines it, by the trapezoidal rule, which is exact to the last bits for periodic ones.
long double bessel_i(int order, long double x) {
  long double sum = 0;
  const int steps = 200;
  for (int k = 0; k < steps; ++k) {
    const long double angle = 2 * pi * k / steps;
    sum += std::exp(x * std::cos(angle)) * std::cos(order * angle);
  }
  return sum / steps;
}

}  // namespace

// `x` is the argument: of type T on the device, wide on the host.
#define EXPECT_WITHIN(T, ulps, low, high, device_expression, host_expression)        \
  expect_within(report, #device_expression,                                          \
                corpus::on_device<T>(points,                                         \
                                     [] __device__(int i) -> T {                     \
                                       const T x = static_cast<T>(at(i, low, high)); \
                                       return device_expression;                     \
                                     }),                                             \
                ulps, [](int i) -> long double {                                     \
                  const long double x = static_cast<T>(at(i, low, high));            \
                  return host_expression;                                            \
                })

CORPUS_CASE(computes_elementary_functions_of_floats) {
  EXPECT_WITHIN(float, 2, -80, 80, expf(x), std::exp(x));
  EXPECT_WITHIN(float, 2, -30, 30, exp10f(x), std::pow(10.0L, x));
  EXPECT_WITHIN(float, 1, 0.001, 1e6, logf(x), std::log(x));
  EXPECT_WITHIN(float, 2, -100, 100, sinf(x), std::sin(x));
  EXPECT_WITHIN(float, 2, -3, 3, tanhf(x), std::tanh(x));
  EXPECT_WITHIN(float, 4, 0.01, 30, powf(x, 3.7f), std::pow(x, static_cast<long double>(3.7f)));
  EXPECT_WITHIN(float, 2, 0.001, 1e6, rsqrtf(x), 1 / std::sqrt(x));
  EXPECT_WITHIN(float, 1, 0.001, 1e6, rcbrtf(x), 1 / std::cbrt(x));
  EXPECT_WITHIN(float, 2, -4, 4, erff(x), std::erf(x));
}

CORPUS_CASE(computes_functions_of_half_turns) {
  EXPECT_WITHIN(float, 1, -2.87, 3.713, sinpif(x), std::sin(pi * std::remainder(x, 2.0L)));
  EXPECT_WITHIN(double, 2, -2.87, 3.713, sinpi(x), std::sin(pi * std::remainder(x, 2.0L)));
  EXPECT_WITHIN(double, 2, -2.87, 3.713, cospi(x), std::cos(pi * std::remainder(x, 2.0L)));
  EXPECT_SAME_VALUES(double, 9, sinpi(i - 4.0), 0.0);
  EXPECT_SAME_VALUES(float, 9, cospif(i - 4.0f), i % 2 == 0 ? 1.0f : -1.0f);
  EXPECT_SAME_VALUES(float, 9, cospif(i - 4.5f), 0.0f);
}

CORPUS_CASE(computes_error_functions_and_their_inverses) {
  EXPECT_WITHIN(float, 5, -5, 5, normcdff(x), std::erfc(-x / std::sqrt(2.0L)) / 2);
  EXPECT_WITHIN(double, 5, -10, 8, normcdf(x), std::erfc(-x / std::sqrt(2.0L)) / 2);
  EXPECT_WITHIN(double, 4, -5, 9, erfcx(x), std::exp(x * x) * std::erfc(x));
  EXPECT_WITHIN(float, 2, -0.999, 0.999, erfinvf(x),
                inverse([](long double y) { return std::erf(y); }, x, -6, 6));
  EXPECT_WITHIN(double, 6, 0.001, 1.999, erfcinv(x),
                -inverse([](long double y) { return std::erfc(-y); }, x, -6, 6));
  EXPECT_WITHIN(double, 8, 0.001, 0.999, normcdfinv(x),
                inverse([](long double y) { return std::erfc(-y / std::sqrt(2.0L)) / 2; }, x, -6, 6));
}

CORPUS_CASE(computes_bessel_and_gamma_functions) {
  EXPECT_WITHIN(double, 6, 0.1, 30, cyl_bessel_i0(x), bessel_i(0, x));
  EXPECT_WITHIN(double, 6, 1, 30, cyl_bessel_i1(x), bessel_i(1, x));
  EXPECT_WITHIN(float, 6, 0.1, 30, cyl_bessel_i0f(x), bessel_i(0, x));
  EXPECT_WITHIN(float, 5, 0.5, 30, tgammaf(x), std::tgamma(x));
  EXPECT_WITHIN(float, 9, 0.1, 2, j0f(x), ::j0(static_cast<double>(x)));
  EXPECT_WITHIN(float, 6, 3, 30, lgammaf(x), std::lgamma(x));
}

CORPUS_CASE(computes_lengths_without_overflow) {
  EXPECT_WITHIN(float, 3, 1e19, 1e38, norm3df(x, x, x), std::sqrt(3.0L) * x);
  EXPECT_WITHIN(float, 3, 1e19, 1e38, rnorm4df(x, x, 0.0f, x), 1 / (std::sqrt(3.0L) * x));
  EXPECT_WITHIN(double, 2, 1e-200, 1e-180, norm3d(x, 2 * x, 2 * x), 3 * x);
  EXPECT_WITHIN(double, 2, 1e150, 1e300, rhypot(3 * x, 4 * x), 1 / (5 * x));
  EXPECT_WITHIN(float, 2, -50, 50, rhypotf(x, 1.0f), 1 / std::sqrt(x * x + 1));
  EXPECT_SAME_VALUES(float, 1, norm3df(INFINITY, NAN, 1.0f), INFINITY);
}

CORPUS_CASE(takes_numbers_apart) {
  EXPECT_SAME_VALUES(float, 40, ([](float x) {
                       int exponent = 0;
                       const float fraction = frexpf(x, &exponent);
                       return fraction + 1000 * exponent;
                     }(ldexpf(0.75f, i - 20))),
                     0.75f + 1000 * (i - 20));
  EXPECT_SAME_VALUES(int, 40, ilogbf(ldexpf(1.5f, i - 20)), i - 20);
  EXPECT_SAME_VALUES(float, 40, logbf(ldexpf(1.5f, i - 20)), float(i - 20));
  EXPECT_SAME_VALUES(float, 1, nextafterf(0.0f, 1.0f), 0x1p-149f);
  EXPECT_SAME_VALUES(long long, 20, llrintf(i * 0.5f), (i + (i % 4 == 3)) / 2);
  EXPECT_SAME_VALUES(float, 20, ([](float x) {
                       int quotient = 0;
                       const float rest = remquof(x, 3.0f, &quotient);
                       return rest + 100 * (quotient & 7);
                     }(float(i))),
                     float(i - (i + 1) / 3 * 3 + 100 * ((i + 1) / 3 & 7)));
  EXPECT_SAME_VALUES(float, 5, fdimf(i - 2.0f, 0.0f) + fmaxf(NAN, 1.0f) + min(NAN, 2.0f),
                     i > 2 ? i + 1.0f : 3.0f);
  EXPECT_SAME_VALUES(float, 7, __saturatef(i * 0.25f - 0.25f),
                     i == 0  ? 0.0f
                     : i > 5 ? 1.0f
                             : i * 0.25f - 0.25f);
  EXPECT_SAME_VALUES(float, 1, __saturatef(NAN), 0.0f);
}

// The approximate intrinsics, within what the Guide promises of them.
CORPUS_CASE(approximates_fast) {
  EXPECT_WITHIN(float, 2 + 1.16 * 20, -20, 20, __expf(x), std::exp(x));
  EXPECT_WITHIN(float, 2, 1, 1e6, __fdividef(x, 3.0f), x / 3);
  const auto sines = corpus::on_device<float>(
      points, [] __device__(int i) { return __sinf(static_cast<float>(at(i, -3, 3))); });
  const auto logarithms = corpus::on_device<float>(
      points, [] __device__(int i) { return __log2f(static_cast<float>(at(i, 0.5, 2))); });
  for (int i = 0; i < points; ++i) {
    report.expect(
        "__sinf is near",
        std::fabs(sines[i] - std::sin(static_cast<double>(static_cast<float>(at(i, -3, 3))))) <= 0x1p-21);
    report.expect("__log2f is near",
                  std::fabs(logarithms[i] -
                            std::log2(static_cast<double>(static_cast<float>(at(i, 0.5, 2))))) <= 0x1p-21);
  }
}

CORPUS_CASE(rounds_reciprocal_roots_correctly) {
  EXPECT_WITHIN(float, 0.5, 1, 4, __frsqrt_rn(x), 1 / std::sqrt(x));
  EXPECT_WITHIN(float, 0.5, 1e-40, 1e-38, __frsqrt_rn(x), 1 / std::sqrt(x));
}
