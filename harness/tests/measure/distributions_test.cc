#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "measure/intervals.h"

namespace kgrade::distributions_test {

TEST(Distributions, NormalQuantilesOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.995), 2.575829303548901, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-13);
}

TEST(Distributions, StudentQuantilesOfTheTables) {
  EXPECT_NEAR(student_quantile(0.975, 4), 2.7764451052, 1e-10);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.3026527297, 1e-10);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.1692726726, 1e-10);
  EXPECT_NEAR(student_quantile(0.95, 30), 1.6972608866, 1e-10);
}

// Cauchy's distribution has a closed form, and so has Student's with 2 degrees of freedom.
TEST(Distributions, StudentQuantilesWithAClosedForm) {
  for (const double p : {1e-6, 0.01, 0.3, 0.4999, 0.5 + 1e-7, 0.51, 0.6, 0.75, 0.9, 0.999, 1 - 1e-6}) {
    const double cauchy = std::tan(std::numbers::pi * (p - 0.5));
    EXPECT_NEAR(student_quantile(p, 1), cauchy, 1e-9 * std::fabs(cauchy)) << p;
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_quantile(p, 2), two, 1e-9 * std::fabs(two)) << p;
  }
  EXPECT_EQ(student_quantile(0.5, 7), 0);
}

TEST(Distributions, StudentTendsToTheNormalDistribution) {
  const double normal = normal_quantile(0.975);
  EXPECT_GT(student_quantile(0.975, 100), normal);
  // The first term of the expansion in 1 / v: (z^3 + z) / 4 (Abramowitz and Stegun 26.7.5).
  const double first = (normal * normal * normal + normal) / 4;
  EXPECT_NEAR(student_quantile(0.975, 1e6), normal + first * 1e-6, 1e-9);
}

TEST(Distributions, BetaProbabilitiesWithAClosedForm) {
  for (const double x : {1e-9, 0.1, 0.5, 0.9}) {
    EXPECT_NEAR(beta_probability(x, 1, 1), x, 1e-14);
    EXPECT_NEAR(beta_probability(x, 3, 1), x * x * x, 1e-14);
    EXPECT_NEAR(beta_probability(x, 2, 2), x * x * (3 - 2 * x), 1e-14);
    EXPECT_NEAR(beta_probability(x, 0.5, 0.5), 2 / std::numbers::pi * std::asin(std::sqrt(x)), 1e-14);
  }
  EXPECT_EQ(beta_probability(0, 2, 3), 0);
  EXPECT_EQ(beta_probability(1, 2, 3), 1);
}

TEST(Distributions, BetaQuantilesInvertTheProbabilities) {
  for (const double a : {0.5, 1.0, 7.0, 300.0, 2e5}) {
    for (const double b : {0.5, 2.0, 41.0, 9e5}) {
      for (const double p : {0.001, 0.025, 0.5, 0.975}) {
        EXPECT_NEAR(beta_probability(beta_quantile(p, a, b), a, b), p, 1e-8 * p) << a << " " << b;
      }
    }
  }
}

TEST(Distributions, RefuseWhatHasNoQuantile) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(normal_quantile(0), std::invalid_argument);
  EXPECT_THROW(normal_quantile(nan), std::invalid_argument);
  EXPECT_THROW(student_quantile(1, 4), std::invalid_argument);
  EXPECT_THROW(student_quantile(0.9, 0), std::invalid_argument);
  EXPECT_THROW(beta_quantile(0.5, -1, 1), std::invalid_argument);
  EXPECT_THROW(beta_probability(1.5, 1, 1), std::invalid_argument);
}

}  // namespace kgrade::distributions_test
