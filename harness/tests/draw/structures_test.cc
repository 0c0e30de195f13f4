// Matrices with a structure, and draws of a few values.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "device/input_blocks.h"
#include "draw/distribution.h"

namespace kgrade::structures_test {

using Kind = Distribution::Kind;
using Structure = Distribution::Structure;

constexpr RandomStream stream{42, 1, 2};
constexpr std::uint32_t side = 9;
constexpr std::uint64_t in_two = std::uint64_t{2} * side * side;

Distribution structured(Structure structure, Kind kind = Kind::normal) {
  Distribution distribution{kind, 0.3, kind == Kind::adjacency ? -1.0 : 1.0};
  distribution.structure = structure;
  distribution.columns = side;
  return distribution;
}

std::vector<float> draw(const InputContents& contents, std::uint64_t count) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(device::float_element(contents, i));
  return values;
}

float at(const std::vector<float>& values, std::uint64_t matrix, std::uint64_t row, std::uint64_t column) {
  return values[(matrix * side + row) * side + column];
}

TEST(Structures, MirrorWhatTheyHold) {
  const auto values = draw({structured(Structure::symmetric), stream, {}}, in_two);
  for (std::uint64_t matrix = 0; matrix < 2; ++matrix) {
    for (std::uint64_t row = 0; row < side; ++row) {
      for (std::uint64_t column = 0; column < row; ++column)
        ASSERT_EQ(at(values, matrix, row, column), at(values, matrix, column, row));
    }
  }
  EXPECT_NE(at(values, 0, 0, 1), at(values, 1, 0, 1));
  EXPECT_NE(at(values, 0, 0, 1), at(values, 0, 0, 2));
}

TEST(Structures, TrianglesAreZeroOnTheOtherSide) {
  const auto upper = draw({structured(Structure::upper), stream, {}}, in_two);
  const auto lower = draw({structured(Structure::lower), stream, {}}, in_two);
  for (std::uint64_t row = 0; row < side; ++row) {
    for (std::uint64_t column = 0; column < side; ++column) {
      ASSERT_EQ(at(upper, 1, row, column) == 0, row > column) << row << " " << column;
      ASSERT_EQ(at(lower, 1, row, column) == 0, row < column) << row << " " << column;
    }
  }
}

TEST(Structures, GraphsHaveWeightsOfWholeNumbers) {
  std::map<float, int> counts;
  const auto values = draw({structured(Structure::none, Kind::adjacency), stream, {}}, 1000 * side * side);
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const bool is_diagonal = i % side == i / side % side;
    ASSERT_EQ(values[i] == 0, is_diagonal) << i;
    if (!is_diagonal) counts[values[i]] += 1;
  }
  const int edges = 1000 * side * (side - 1);
  EXPECT_EQ(counts.size(), 101u);  // 1 to 100, and none
  EXPECT_EQ(counts.begin()->first, -1);
  EXPECT_EQ(counts.rbegin()->first, 100);
  // Six standard deviations, of no edge and of each weight.
  EXPECT_NEAR(counts[-1], 0.7 * edges, 6 * std::sqrt(0.7 * 0.3 * edges));
  for (int weight = 1; weight <= 100; ++weight)
    EXPECT_NEAR(counts[static_cast<float>(weight)], 0.003 * edges, 6 * std::sqrt(0.003 * edges)) << weight;
}

TEST(Structures, AChangeIsMirrored) {
  for (const Structure structure : {Structure::symmetric, Structure::upper, Structure::lower}) {
    InputContents contents{structured(structure), stream, {}};
    const auto before = draw(contents, in_two);
    contents.changes = draw_changes(contents.distribution, stream, in_two, {7, 5, 1});
    ASSERT_GT(contents.changes.count, 0u);
    const auto after = draw(contents, in_two);
    int changed = 0;
    for (std::uint64_t i = 0; i < in_two; ++i) {
      changed += before[i] != after[i] ? 1 : 0;
      const std::uint64_t row = i / side % side;
      const std::uint64_t column = i % side;
      const bool is_mirrored = structure == Structure::symmetric;
      const bool is_outside =
          !is_mirrored && row != column && (structure == Structure::upper) == (row > column);
      if (is_mirrored || is_outside) {
        ASSERT_EQ(after[i], is_mirrored ? at(after, i / side / side, column, row) : 0.0F)
            << row << " " << column;
      }
    }
    EXPECT_GE(changed, static_cast<int>(contents.changes.count));
  }
}

TEST(Structures, TheDiagonalOfAGraphNeverChanges) {
  const Distribution graph = structured(Structure::none, Kind::adjacency);
  for (std::uint32_t number = 0; number < 200; ++number) {
    InputContents contents{graph, stream, draw_changes(graph, stream, side * side, {7, 5, number})};
    const auto values = draw(contents, side * side);
    for (std::uint64_t i = 0; i < side; ++i) ASSERT_EQ(at(values, 0, i, i), 0) << number;
  }
}

TEST(Draws, OfAFewNumbersHaveEachOfThemEquallyOften) {
  Distribution choice{Kind::choice, 0, 1};
  choice.count = 3;
  choice.choices[0] = -1;
  choice.choices[1] = 0.5;
  choice.choices[2] = 2;
  std::map<float, int> counts;
  for (const float value : draw({choice, stream, {}}, 30000)) counts[value] += 1;
  EXPECT_EQ(counts.size(), 3u);
  for (const float value : {-1.0F, 0.5F, 2.0F})
    EXPECT_NEAR(counts[value], 10000, 6 * std::sqrt(30000 * 2.0 / 9));
}

TEST(Draws, OfOnesHaveTheirProbability) {
  double ones = 0;
  for (const float value : draw({{Kind::bernoulli, 0.25}, stream, {}}, 40000)) {
    ASSERT_TRUE(value == 0 || value == 1);
    ones += static_cast<double>(value);
  }
  EXPECT_NEAR(ones, 10000, 6 * std::sqrt(40000 * 0.25 * 0.75));
}

}  // namespace kgrade::structures_test
