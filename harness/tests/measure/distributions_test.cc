#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "measure/intervals.h"
#include "tests/measure/simulation.h"
#include "tests/measure/walsh_averages.h"

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

// P(T = t) from all 2^n sign assignments.
std::vector<double> all_assignments(unsigned count) {
  std::vector<double> probability(count * (count + 1) / 2 + 1, 0.0);
  for (unsigned signs = 0; signs < (1u << count); ++signs) {
    unsigned t = 0;
    for (unsigned rank = 1; rank <= count; ++rank) t += (signs >> (rank - 1) & 1) * rank;
    probability[t] += std::ldexp(1.0, -static_cast<int>(count));
  }
  return probability;
}

// P(T = t), by convolution with one rank after the other.
std::vector<double> convolution(std::size_t count) {
  std::vector<double> probability = {1};
  for (std::size_t rank = 1; rank <= count; ++rank) {
    std::vector<double> next(probability.size() + rank, 0.0);
    for (std::size_t t = 0; t < probability.size(); ++t) {
      next[t] += probability[t] / 2;
      next[t + rank] += probability[t] / 2;
    }
    probability = next;
  }
  return probability;
}

long critical_value(const std::vector<double>& probability, double tail) {
  long critical = -1;
  double cumulative = probability[0];
  while (cumulative <= tail) cumulative += probability[static_cast<std::size_t>(++critical + 1)];
  return critical;
}

long found(std::size_t count, double tail) {
  const auto critical = signed_rank_critical_value(count, tail);
  return critical ? static_cast<long>(*critical) : -1;
}

// Two-sided 5 % and 1 %, as printed at the end of most textbooks.
TEST(SignedRank, CriticalValuesOfTheTables) {
  const std::vector<long> five_per_cent = {0,  2,  3,  5,  8,  10, 13, 17, 21, 25,
                                           29, 34, 40, 46, 52, 58, 65, 73, 81, 89};
  for (std::size_t i = 0; i < five_per_cent.size(); ++i)
    EXPECT_EQ(found(6 + i, 0.025), five_per_cent[i]) << 6 + i;
  const std::vector<long> one_per_cent = {0, 1, 3, 5, 7, 9, 12, 15};
  for (std::size_t i = 0; i < one_per_cent.size(); ++i)
    EXPECT_EQ(found(8 + i, 0.005), one_per_cent[i]) << 8 + i;
}

TEST(SignedRank, CriticalValuesAreThoseOfAllSignAssignments) {
  for (unsigned count = 1; count <= 15; ++count) {
    const std::vector<double> probability = all_assignments(count);
    for (const double tail : {0.0005, 0.005, 0.025, 0.05, 0.2, 0.4999}) {
      EXPECT_EQ(found(count, tail), critical_value(probability, tail)) << count << " " << tail;
    }
  }
}

TEST(SignedRank, TooFewValuesHaveNoCriticalValue) {
  EXPECT_FALSE(signed_rank_critical_value(0, 0.025));
  EXPECT_FALSE(signed_rank_critical_value(5, 0.025));
  EXPECT_TRUE(signed_rank_critical_value(6, 0.025));
  EXPECT_FALSE(signed_rank_critical_value(100, 1e-40));
}

TEST(SignedRank, ExactUpToTheLimit) {
  for (const std::size_t count : {signed_rank_exact_limit - 1, signed_rank_exact_limit}) {
    EXPECT_EQ(found(count, 0.025), critical_value(convolution(count), 0.025));
  }
}

// The normal distribution's tails are a little longer than T's, so the approximation errs to the safe side:
// by the next term of Edgeworth's series, with T's excess kurtosis of -3.6 / n, and by less than one step of
// T.
TEST(SignedRank, ApproximateValuesErrToTheSafeSideByAKnownAmount) {
  for (const std::size_t count : {61, 62, 75, 100, 150, 300}) {
    for (const double tail : {0.0005, 0.025}) {
      const std::vector<double> probability = convolution(count);
      const auto critical = static_cast<std::ptrdiff_t>(signed_rank_critical_value(count, tail).value());
      const double attained = std::accumulate(probability.begin(), probability.begin() + critical + 1, 0.0);
      const double z = -normal_quantile(tail);
      const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      const double term = 3.6 / static_cast<double>(count) / 24 * (z * z * z - 3 * z) * density;
      const double step = probability[static_cast<std::size_t>(critical) + 1];
      EXPECT_LE(attained, tail) << count;
      EXPECT_GE(attained, tail - 1.2 * term - step) << count << " " << tail;
    }
  }
}

TEST(SignedRank, WalshAveragesOfEveryRank) {
  simulation::Random random(11);
  for (std::size_t count = 1; count <= 40; ++count) {
    std::vector<double> values(count);
    // Every third sample is coarse, so that many averages are the same.
    for (double& value : values) value = count % 3 == 0 ? std::floor(4 * random.normal()) : random.normal();
    std::sort(values.begin(), values.end());
    const std::vector<double> averages = all_walsh_averages(values);
    ASSERT_EQ(averages.size(), walsh_count(count));
    for (std::size_t i = 0; i < averages.size(); ++i)
      ASSERT_EQ(walsh_average(values, i + 1), averages[i]) << count;
  }
}

}  // namespace kgrade::distributions_test
