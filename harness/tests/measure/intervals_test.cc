#include "measure/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "base/statistics.h"
#include "tests/measure/simulation.h"

namespace kgrade::intervals_test {

// The means of all pairs of values, including each with itself: n (n + 1) / 2 of them, sorted.
std::vector<double> all_walsh_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

std::vector<double> normal_values(simulation::Random& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = random.normal();
  return values;
}

// Depression scores of nine patients, after less before (M. Hollander and D. Wolfe, "Nonparametric
// Statistical Methods", table 3.1, with the estimate -0.46 and the 96.1 % interval from -0.786 to -0.010).
const std::vector<double> depression = {0.878 - 1.83, 0.647 - 0.50, 0.598 - 1.62, 2.05 - 2.48, 1.06 - 1.68,
                                        1.29 - 1.88,  1.06 - 1.55,  3.14 - 3.06,  1.29 - 1.30};

// Hours of sleep gained with one drug over the other ("Student", "The Probable Error of a Mean", 1908).
const std::vector<double> sleep = {1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4};

TEST(HodgesLehmann, KnownSamples) {
  EXPECT_NEAR(hodges_lehmann(depression), -0.46, 1e-12);
  EXPECT_EQ(hodges_lehmann({}), 0);
  EXPECT_EQ(hodges_lehmann({3.5}), 3.5);
  EXPECT_EQ(hodges_lehmann({1, 4}), 2.5);
  EXPECT_EQ(hodges_lehmann({0, 0, 9}), 2.25);
  EXPECT_EQ(hodges_lehmann({7, 7, 7, 7}), 7);
}

TEST(HodgesLehmann, IsTheMedianOfAllWalshAverages) {
  simulation::Random random(1);
  for (std::size_t trial = 0; trial < 400; ++trial) {
    std::vector<double> values = normal_values(random, 1 + trial % 57);
    if (trial % 3 == 0) {
      for (double& value : values) value = std::round(2 * value);
    }
    const std::vector<double> averages = all_walsh_averages(values);
    EXPECT_DOUBLE_EQ(hodges_lehmann(values), quantile(averages, 0.5)) << values.size();
  }
}

TEST(HodgesLehmann, FiveThousandValues) {
  simulation::Random random(2);
  const std::vector<double> values = normal_values(random, 5000);
  EXPECT_NEAR(hodges_lehmann(values), 0, 0.07);  // five standard errors
  const std::optional<Interval> interval = wilcoxon_interval(values);
  ASSERT_TRUE(interval);
  EXPECT_TRUE(interval->contains(hodges_lehmann(values)));
  EXPECT_NEAR(interval->half_width(), 1.96 * std::sqrt(3.14159 / 3 / 5000), 0.001);
}

TEST(WilcoxonInterval, KnownSample) {
  const std::optional<Interval> interval = wilcoxon_interval(depression);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, -0.786, 1e-12);
  EXPECT_NEAR(interval->high, -0.010, 1e-12);
}

// Two-sided probability of a signed-rank sum as far out as that of values - centre, from all 2^n sign
// assignments.
double signed_rank_test(std::vector<double> values, double centre) {
  for (double& value : values) value -= centre;
  const auto nearer = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  std::sort(values.begin(), values.end(), nearer);
  unsigned positive = 0;
  for (unsigned i = 0; i < values.size(); ++i) positive += values[i] > 0 ? i + 1 : 0;
  unsigned below = 0;
  unsigned above = 0;
  const unsigned assignments = 1u << values.size();
  for (unsigned signs = 0; signs < assignments; ++signs) {
    unsigned sum = 0;
    for (unsigned i = 0; i < values.size(); ++i) sum += (signs >> i & 1) * (i + 1);
    below += sum <= positive ? 1 : 0;
    above += sum >= positive ? 1 : 0;
  }
  return 2.0 * std::min(below, above) / assignments;
}

TEST(WilcoxonInterval, HoldsTheCentresThatTheTestDoesNotRefuse) {
  simulation::Random random(3);
  for (std::size_t count = 6; count <= 9; ++count) {
    for (const double confidence : {0.9, 0.95}) {
      const std::vector<double> values = normal_values(random, count);
      const std::optional<Interval> interval = wilcoxon_interval(values, confidence);
      ASSERT_TRUE(interval);
      std::vector<double> averages = all_walsh_averages(values);
      averages.insert(averages.begin(), averages.front() - 1);
      averages.push_back(averages.back() + 1);
      for (std::size_t i = 0; i + 1 < averages.size(); ++i) {
        const double centre = (averages[i] + averages[i + 1]) / 2;
        EXPECT_EQ(interval->contains(centre), signed_rank_test(values, centre) > 1 - confidence) << count;
      }
    }
  }
}

TEST(WilcoxonInterval, NeedsSixValuesAtNinetyFivePerCent) {
  EXPECT_FALSE(wilcoxon_interval({}));
  EXPECT_FALSE(wilcoxon_interval({1}));
  EXPECT_FALSE(wilcoxon_interval({1, 2, 3, 4, 5}));
  EXPECT_TRUE(wilcoxon_interval({1, 2, 3, 4, 5}, 0.9));
  const std::optional<Interval> six = wilcoxon_interval({6, 1, 2, 3, 4, 5});
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
}

TEST(WilcoxonInterval, IdenticalValuesHaveNoWidth) {
  for (const std::size_t count : {6, 60, 61, 5000}) {
    const std::optional<Interval> interval = wilcoxon_interval(std::vector<double>(count, -0.25));
    ASSERT_TRUE(interval);
    EXPECT_EQ(interval->low, -0.25);
    EXPECT_EQ(interval->high, -0.25);
  }
}

TEST(WilcoxonInterval, GrowsWithTheConfidence) {
  simulation::Random random(4);
  const std::vector<double> values = normal_values(random, 30);
  const Interval narrow = wilcoxon_interval(values, 0.5).value();
  const Interval wide = wilcoxon_interval(values, 0.999).value();
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
  EXPECT_TRUE(narrow.contains(hodges_lehmann(values)));
}

TEST(StudentInterval, KnownSample) {
  const std::optional<Interval> interval = student_interval(sleep);
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 0.7001142, 1e-7);
  EXPECT_NEAR(interval->high, 2.4598858, 1e-7);
}

TEST(StudentInterval, NeedsTwoValues) {
  EXPECT_FALSE(student_interval({}));
  EXPECT_FALSE(student_interval({1}));
  // Half the difference, by the quantile 12.706 of one degree of freedom.
  const std::optional<Interval> two = student_interval({1, 3});
  ASSERT_TRUE(two);
  EXPECT_NEAR(two->half_width(), 12.706204736, 1e-8);
}

TEST(StudentInterval, IdenticalValuesHaveNoWidth) {
  const std::optional<Interval> interval = student_interval({2, 2, 2});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 2);
  EXPECT_EQ(interval->high, 2);
}

// P(X >= least) for `trials` tries of probability p.
double at_least(unsigned least, unsigned trials, double p) {
  double sum = 0;
  for (unsigned k = least; k <= trials; ++k) {
    double term = 1;
    for (unsigned i = 0; i < k; ++i) term *= p * (trials - i) / (i + 1);
    sum += term * std::pow(1 - p, trials - k);
  }
  return sum;
}

TEST(BinomialInterval, KnownSamples) {
  EXPECT_NEAR(binomial_interval(0, 10).high, 1 - std::pow(0.025, 0.1), 1e-14);
  EXPECT_NEAR(binomial_interval(5, 10).low, 0.1870860284, 1e-10);
  EXPECT_NEAR(binomial_interval(5, 10).high, 0.8129139716, 1e-10);
  EXPECT_NEAR(binomial_interval(8, 10).low, 0.4439045377, 1e-10);
  EXPECT_NEAR(binomial_interval(8, 10).high, 0.9747892737, 1e-10);
  EXPECT_NEAR(binomial_interval(10, 200).low, 0.0242341655, 1e-10);
  EXPECT_NEAR(binomial_interval(10, 200).high, 0.0900275377, 1e-10);
}

TEST(BinomialInterval, EndsWhereHalfOfTheRestLiesBeyond) {
  for (const unsigned trials : {1u, 7u, 40u}) {
    for (unsigned hits = 0; hits <= trials; ++hits) {
      const Interval interval = binomial_interval(hits, trials, 0.9);
      // If all or none succeeded, there is nothing beyond.
      EXPECT_NEAR(at_least(hits, trials, interval.low), hits > 0 ? 0.05 : 1, 1e-10);
      EXPECT_NEAR(at_least(hits + 1, trials, interval.high), hits < trials ? 0.95 : 0, 1e-10);
      const Interval mirrored = binomial_interval(trials - hits, trials, 0.9);
      EXPECT_NEAR(interval.low, 1 - mirrored.high, 1e-12);
    }
  }
}

TEST(BinomialInterval, EdgesAndHugeCounts) {
  EXPECT_EQ(binomial_interval(0, 0).low, 0);
  EXPECT_EQ(binomial_interval(0, 0).high, 1);
  EXPECT_EQ(binomial_interval(0, 9).low, 0);
  EXPECT_EQ(binomial_interval(9, 9).high, 1);
  const Interval huge = binomial_interval(300'000, 1'000'000);
  EXPECT_NEAR(huge.half_width(), 1.96 * std::sqrt(0.3 * 0.7 / 1e6), 1e-6);
}

TEST(Intervals, RefuseWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(hodges_lehmann({1, nan}), std::invalid_argument);
  EXPECT_THROW(wilcoxon_interval({1, 2, 3, 4, 5, -infinity}), std::invalid_argument);
  EXPECT_THROW(student_interval({infinity}), std::invalid_argument);
}

TEST(Intervals, RefuseImpossibleArguments) {
  EXPECT_THROW(wilcoxon_interval({1, 2, 3}, 1), std::invalid_argument);
  EXPECT_THROW(student_interval({1, 2, 3}, 0), std::invalid_argument);
  EXPECT_THROW(binomial_interval(3, 2), std::invalid_argument);
}

TEST(Intervals, OrderOfTheValuesDoesNotMatter) {
  simulation::Random random(5);
  std::vector<double> values = normal_values(random, 41);
  const double estimate = hodges_lehmann(values);
  const Interval wilcoxon = wilcoxon_interval(values).value();
  const Interval student = student_interval(values).value();
  std::reverse(values.begin(), values.end());
  std::rotate(values.begin(), values.begin() + 13, values.end());
  EXPECT_EQ(hodges_lehmann(values), estimate);
  EXPECT_EQ(wilcoxon_interval(values)->low, wilcoxon.low);
  EXPECT_EQ(wilcoxon_interval(values)->high, wilcoxon.high);
  EXPECT_NEAR(student_interval(values)->low, student.low, 1e-14);
  EXPECT_NEAR(student_interval(values)->high, student.high, 1e-14);
}

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

}  // namespace kgrade::intervals_test
