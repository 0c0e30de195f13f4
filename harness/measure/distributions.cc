#include "measure/distributions.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "measure/bisection.h"

namespace kgrade {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void require_probability(double p) { require(p > 0 && p < 1, "a quantile's p lies between 0 and 1"); }

// Coefficient d_i of DLMF 8.17.22 (8.17.23).
double fraction_coefficient(double x, double a, double b, int i) {
  const int pairs = i / 2;
  const double m = pairs;
  if (i % 2 == 0) return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
  return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

// 1 / (1 + d_1 / (1 + d_2 / (1 + ...))) from the front (the modified method of W. Lentz; I. Thompson and
// A. Barnett, Journal of Computational Physics 64, 1986). It converges fast for x < (a + 1) / (a + b + 2).
double continued_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;  // in place of a zero denominator
  constexpr int most_terms = 10'000'000;
  const auto nonzero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double numerator = 1;
  double inverse_denominator = 0;
  double value = 1;
  for (int i = 1; i < most_terms; ++i) {
    const double coefficient = fraction_coefficient(x, a, b, i);
    numerator = nonzero(1 + coefficient / numerator);
    inverse_denominator = 1 / nonzero(1 + coefficient * inverse_denominator);
    const double step = numerator * inverse_denominator;
    value *= step;
    if (std::fabs(step - 1) < 4 * std::numeric_limits<double>::epsilon()) return 1 / value;
  }
  throw std::invalid_argument("the incomplete beta function does not converge for these shapes");
}

// I_x(a, b) with y = 1 - x, by the fraction, for x below the mean or a little above.
double lower_part(double x, double y, double a, double b) {
  const double log_front =
      a * std::log(x) + b * std::log(y) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(log_front) / a * continued_fraction(x, a, b);
}

}  // namespace

double beta_probability(double x, double a, double b) {
  require(a > 0 && b > 0, "a beta distribution's shapes are positive");
  require(x >= 0 && x <= 1, "a beta distribution lies between 0 and 1");
  if (x == 0 || x == 1) return x;
  const bool below = x <= (a + 1) / (a + b + 2);
  return below ? lower_part(x, 1 - x, a, b) : 1 - lower_part(1 - x, x, b, a);
}

double beta_quantile(double p, double a, double b) {
  require_probability(p);
  require(a > 0 && b > 0, "a beta distribution's shapes are positive");
  return least_double(0, 1, [&](double x) { return beta_probability(x, a, b) >= p; });
}

double normal_quantile(double p) {
  require_probability(p);
  if (p == 0.5) return 0;
  if (p > 0.5) return -normal_quantile(1 - p);
  constexpr double beyond = 40;  // no double's probability lies further out
  return least_double(-beyond, 0, [p](double x) { return std::erfc(-x / std::numbers::sqrt2) / 2 >= p; });
}

// P(T > t) = I_x(v / 2, 1 / 2) / 2 with x = v / (v + t^2) (DLMF 8.17, M. Abramowitz and I. Stegun 26.7.1).
// Near the centre x rounds to 1, so there the complement 1 - x is sought.
double student_quantile(double p, double degrees_of_freedom) {
  require_probability(p);
  require(degrees_of_freedom > 0, "Student's t has more than 0 degrees of freedom");
  if (p == 0.5) return 0;
  if (p < 0.5) return -student_quantile(1 - p, degrees_of_freedom);
  const double half = degrees_of_freedom / 2;
  const double both_tails = 2 * (1 - p);
  if (both_tails < 0.5) {
    const double x = beta_quantile(both_tails, half, 0.5);
    return std::sqrt(degrees_of_freedom * (1 - x) / x);
  }
  const double rest = beta_quantile(1 - both_tails, 0.5, half);
  return std::sqrt(degrees_of_freedom * rest / (1 - rest));
}

}  // namespace kgrade
