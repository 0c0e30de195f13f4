// Rows whose elements hang together, and doubles.
#include "draw/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "device/element_operations.h"

namespace kgrade {
namespace {

using Kind = Distribution::Kind;
using Structure = Distribution::Structure;

constexpr RandomStream stream{42, 1, 2};

Distribution rows_of(Distribution distribution, std::uint32_t columns,
                     Structure structure = Structure::none) {
  distribution.columns = columns;
  distribution.structure = structure;
  return distribution;
}

Distribution sorted(Distribution distribution, std::uint32_t columns) {
  return rows_of(distribution, columns, Structure::sorted);
}

// Rows of a tensor of one row after another.
using Rows = std::vector<std::vector<double>>;

Rows draw(const Distribution& distribution, std::uint64_t count) {
  const InputContents contents{distribution, stream, {}};
  Rows rows(count);
  for (std::uint64_t i = 0; i < count * distribution.columns; ++i) {
    double value = 0;
    if (distribution.dtype == Dtype::float64)
      value = double_of(device::wide_element(contents, i));
    else if (has_wide_elements(distribution))
      value = static_cast<double>(device::wide_element(contents, i));
    else
      value = static_cast<double>(device::float_element(contents, i));
    rows[i / distribution.columns].push_back(value);
  }
  return rows;
}

TEST(Rows, SortedOnesAscend) {
  for (const std::uint32_t columns : {1u, 2u, 3u, 32u, 33u, 34u, 70u, 1000u, 4097u}) {
    for (const Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::bfloat16, Dtype::float16}) {
      for (const Distribution& distribution :
           {Distribution{Kind::normal, 1, 2, dtype}, Distribution{Kind::uniform, -1, 3, dtype},
            Distribution{Kind::integers, -4, 50, dtype}}) {
        const Rows rows = draw(sorted(distribution, columns), 5);
        for (const auto& row : rows) ASSERT_TRUE(std::is_sorted(row.begin(), row.end())) << columns;
        ASSERT_NE(rows[0], rows[1]);
      }
    }
  }
}

// Close to the upper end a float may be rounded to it.
TEST(Rows, SortedOnesStayBelowTheExcludedEnd) {
  for (const auto& [low, high] :
       {std::pair{1.0, 2.0}, std::pair{-2.0, -1.0}, std::pair{-1.0, 0.0}, std::pair{0.0, 1e-30}}) {
    const Distribution distribution = sorted({Kind::uniform, low, high}, 8);
    float before = static_cast<float>(low);
    for (std::uint32_t word = 0xFFFFF000u; word != 0; word += 256) {
      const float value = sample(distribution, word);
      ASSERT_LT(value, static_cast<float>(high));
      ASSERT_GE(value, before);
      before = value;
    }
  }
}

TEST(Rows, NormalNumbersAscendWithTheirWordEverywhere) {
  const Distribution normal{Kind::normal, 0, 1};
  float before = sample(normal, 0);
  for (std::uint32_t step = 1; step < 1u << 24; ++step) {
    const float value = sample(normal, step << 8);
    ASSERT_GE(value, before) << step;
    before = value;
  }
}

// The order statistics of uniform numbers: the k-th of n has the mean k / (n + 1), and the variance of a beta
// distribution.
TEST(Rows, SortedOnesAreDistributedAsSortingMakesThem) {
  constexpr int tensors = 4000;
  for (const std::uint32_t n : {5u, 33u, 100u}) {
    const Rows rows = draw(sorted({Kind::uniform, 0, 1}, n), tensors);
    for (std::uint32_t k = 1; k <= n; k += std::max(1u, n / 7)) {
      double sum = 0;
      double squares = 0;
      const double mean = k / (n + 1.0);
      for (const auto& row : rows) {
        sum += row[k - 1];
        squares += (row[k - 1] - mean) * (row[k - 1] - mean);
      }
      const double variance = k * (n + 1.0 - k) / ((n + 1.0) * (n + 1.0) * (n + 2.0));
      EXPECT_NEAR(sum / tensors, mean, 5 * std::sqrt(variance / tensors)) << n << " " << k;
      EXPECT_NEAR(squares / tensors / variance, 1, 0.15) << n << " " << k;
    }
  }
}

TEST(Rows, SortedIntegersBeyondFloatsAscend) {
  Distribution wide{Kind::wide_integers, 0, 0, Dtype::int64};
  wide.low = -5'000'000'000;
  wide.high = 7'000'000'000;
  wide = sorted(wide, 300);
  for (std::uint64_t i = 0; i < 900; ++i) {
    const std::int64_t value = wide_element(wide, stream, i);
    ASSERT_TRUE(value >= wide.low && value <= wide.high);
    if (i % 300 > 0) {
      ASSERT_GE(value, wide_element(wide, stream, i - 1)) << i;
    }
  }
}

TEST(Rows, APermutationHasEachNumberOnce) {
  for (const std::uint32_t columns : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 1000u, 4096u, 65537u}) {
    Rows rows = draw(rows_of({Kind::permutation, 0, 1, Dtype::int32}, columns), 3);
    if (columns > 10) {
      EXPECT_NE(rows[0], rows[1]);
    }
    std::vector<double> places(columns);
    std::iota(places.begin(), places.end(), 0);
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      ASSERT_EQ(row, places);
    }
  }
}

TEST(Rows, AllPermutationsOfThreeAreEquallyLikely) {
  constexpr int tensors = 6000;
  std::map<std::vector<double>, int> counts;
  for (const auto& row : draw(rows_of({Kind::permutation, 0, 1, Dtype::int32}, 3), tensors)) counts[row] += 1;
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [row, count] : counts) EXPECT_NEAR(count, 1000, 6 * std::sqrt(tensors * 5.0 / 36));
}

// Each number comes to each place, and neighbours are no longer neighbours.
TEST(Rows, APermutationScattersWhatItMoves) {
  constexpr std::uint32_t columns = 1000;
  double distance = 0;
  int neighbours = 0;
  const Rows rows = draw(rows_of({Kind::permutation, 0, 1, Dtype::int32}, columns), 200);
  for (const auto& row : rows) {
    for (std::uint32_t i = 1; i < columns; ++i) {
      distance += std::fabs(row[i] - row[i - 1]);
      neighbours += std::fabs(row[i] - row[i - 1]) == 1 ? 1 : 0;
    }
  }
  EXPECT_NEAR(distance / (200.0 * (columns - 1)), columns / 3.0, 3);
  EXPECT_NEAR(neighbours, 400, 6 * std::sqrt(400));
}

TEST(Rows, SharesAddUpToOne) {
  for (const std::uint32_t columns : {1u, 2u, 3u, 7u, 64u, 1000u, 4097u}) {
    for (const auto& row : draw(rows_of({Kind::softmax, 0, 1, Dtype::float64}, columns), 4)) {
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-13) << columns;
      EXPECT_GT(*std::min_element(row.begin(), row.end()), 0);
    }
    for (const auto& row : draw(rows_of({Kind::softmax}, columns), 4))
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 3e-7) << columns;
  }
}

TEST(Rows, LogarithmsAreThoseOfTheShares) {
  const Rows shares = draw(rows_of({Kind::softmax, 0, 1, Dtype::float64}, 50), 20);
  const Rows logarithms = draw(rows_of({Kind::log_softmax, 0, 1, Dtype::float64}, 50), 20);
  for (std::size_t row = 0; row < shares.size(); ++row) {
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(logarithms[row][i], std::log(shares[row][i]), 1e-13);
  }
}

TEST(Rows, ShortOnesAreTheSoftmaxOfNormalNumbers) {
  const Rows numbers = draw(rows_of({Kind::normal, 0, 1}, 20), 10);
  const Rows shares = draw(rows_of({Kind::softmax, 0, 1, Dtype::float64}, 20), 10);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    double sum = 0;
    for (const double number : numbers[row]) sum += std::exp(number);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(shares[row][i], std::exp(numbers[row][i]) / sum, 1e-6);
  }
}

// Nearly as a softmax makes them: their logarithms have a variance of 1 within a row then, and the mean of
// their squares is e / n^2 for long rows.
TEST(Rows, SharesAreDistributedAsASoftmaxMakesThem) {
  constexpr std::uint32_t n = 1000;
  double variance = 0;
  double squares = 0;
  const Rows rows = draw(rows_of({Kind::softmax, 0, 1, Dtype::float64}, n), 200);
  for (const auto& row : rows) {
    double mean = 0;
    for (const double share : row) mean += std::log(share) / n;
    for (const double share : row) {
      variance += (std::log(share) - mean) * (std::log(share) - mean) / n / 200;
      squares += share * share * n / 200;
    }
  }
  EXPECT_NEAR(variance, 1, 0.06);
  EXPECT_NEAR(squares, std::exp(1.0), 0.35);
}

TEST(Rows, PortableExpAgreesWithTheLibrary) {
  for (double x = -600; x < 600; x += 0.37) EXPECT_NEAR(detail::portable_exp(x) / std::exp(x), 1, 1e-14) << x;
  EXPECT_EQ(detail::portable_exp(0), 1);
}

// Records refer to inputs by seed alone: no machine and no later version may have other ones.
TEST(Rows, BitsArePinned) {
  const auto bits_at = [](const Distribution& distribution, std::uint64_t index) {
    return bits_of(device::float_element({distribution, stream, {}}, index));
  };
  EXPECT_EQ(bits_at(sorted({Kind::normal, 0, 1}, 1000), 777), 1061915750u);
  EXPECT_EQ(bits_at(rows_of({Kind::softmax}, 1000), 777), 971399356u);
  EXPECT_EQ(bits_at(rows_of({Kind::log_softmax}, 1000), 777), 3237436615u);
  EXPECT_EQ(wide_element(rows_of({Kind::permutation, 0, 1, Dtype::int32}, 1000), stream, 777), 223);
}

TEST(Doubles, AreDrawnInDoublePrecision) {
  for (const Distribution& single : {Distribution{Kind::normal, 1, 2}, Distribution{Kind::uniform, -1, 1}}) {
    Distribution wide = single;
    wide.dtype = Dtype::float64;
    int beyond_float = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const double value = double_of(wide_element(wide, stream, i));
      ASSERT_NEAR(value, static_cast<double>(element(single, stream, i)), 1e-3);
      beyond_float += value != static_cast<double>(static_cast<float>(value)) ? 1 : 0;
    }
    EXPECT_GT(beyond_float, 990);
  }
}

TEST(Doubles, OfAllDistributionsAreThoseOfFloats) {
  Distribution choice{Kind::choice};
  choice.count = 2;
  choice.choices[0] = 0.5;
  choice.choices[1] = -3;
  for (const Distribution& single :
       {choice, Distribution{Kind::integers, -3, 9}, Distribution{Kind::bernoulli, 0.3},
        Distribution{Kind::constant, 1.5}, rows_of({Kind::adjacency, 0.3, -1}, 9),
        rows_of({Kind::integers, 0, 9}, 9, Structure::symmetric),
        rows_of({Kind::integers, 0, 9}, 9, Structure::upper)}) {
    Distribution wide = single;
    wide.dtype = Dtype::float64;
    for (std::uint64_t i = 0; i < 162; ++i)
      ASSERT_EQ(double_of(wide_element(wide, stream, i)), static_cast<double>(element(single, stream, i)))
          << i;
  }
}

TEST(Doubles, ChangeAtAFewPlaces) {
  const Distribution normal{Kind::normal, 0, 1, Dtype::float64};
  const InputContents contents{normal, stream, draw_changes(normal, stream, 100, {7, 5, 3})};
  ASSERT_GT(contents.changes.count, 0u);
  unsigned int changed = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const double value = double_of(device::wide_element(contents, i));
    EXPECT_LT(std::fabs(value), 6);
    changed += value != double_of(wide_element(normal, stream, i)) ? 1 : 0;
  }
  EXPECT_EQ(changed, contents.changes.count);
}

}  // namespace
}  // namespace kgrade
