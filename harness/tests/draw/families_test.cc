// Families of inputs: what each makes of a distribution, and which a case can have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "device/input_blocks.h"
#include "draw/family.h"
#include "draw/input_families.h"
#include "problem/problem.h"

namespace kgrade {
namespace families_test {

using Kind = Distribution::Kind;
using testing::Each;
using testing::Le;

constexpr RandomStream stream{42, 1, 2};
constexpr std::uint64_t row = 50;
constexpr std::uint64_t rows = 4;

Distribution numbers(Family family, Kind kind = Kind::uniform, std::uint32_t key = 7) {
  Distribution distribution{kind, -5, 5};
  distribution.variation = {family, key, row};
  return distribution;
}

std::vector<float> drawn(const Distribution& distribution, std::uint64_t count = row * rows) {
  std::vector<float> values;
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back(device::float_element({distribution, stream, {}}, i));
  return values;
}

std::vector<std::int64_t> drawn_wide(Family family) {
  Distribution distribution{Kind::wide_integers};
  distribution.dtype = Dtype::int64;
  distribution.low = -3'000'000'000'000;
  distribution.high = 4'000'000'000'000;
  distribution.variation = {family, 7, row};
  std::vector<std::int64_t> values;
  for (std::uint64_t i = 0; i < row * rows; ++i)
    values.push_back(device::wide_element({distribution, stream, {}}, i));
  return values;
}

std::size_t different(const std::vector<float>& values) {
  return std::set<float>(values.begin(), values.end()).size();
}

TEST(Families, OneValueIsEverywhere) {
  for (const Kind kind : {Kind::uniform, Kind::normal, Kind::integers})
    EXPECT_EQ(different(drawn(numbers(Family::one_value, kind))), 1u);
  const auto wide = drawn_wide(Family::one_value);
  EXPECT_THAT(wide, Each(wide.front()));
}

TEST(Families, FewValuesAreMixed) {
  for (std::uint32_t key = 0; key < 8; ++key) {
    const auto values = drawn(numbers(Family::few_values, Kind::uniform, key));
    EXPECT_EQ(different(values), 2 + key % 4);
    EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  }
}

TEST(Families, NeighboursAreEqualInRuns) {
  const auto values = drawn(numbers(Family::runs, Kind::uniform, 8));  // of ten
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], values[i / 10 * 10]);
  EXPECT_EQ(different(values), values.size() / 10);
}

TEST(Families, RowsAreInOrder) {
  for (const Kind kind : {Kind::uniform, Kind::normal, Kind::integers}) {
    const auto ascending = drawn(numbers(Family::sorted, kind));
    const auto descending = drawn(numbers(Family::reversed, kind));
    for (std::size_t begin = 0; begin < ascending.size(); begin += row) {
      const auto at = static_cast<std::ptrdiff_t>(begin);
      const auto end = at + static_cast<std::ptrdiff_t>(row);
      EXPECT_TRUE(std::is_sorted(ascending.begin() + at, ascending.begin() + end));
      EXPECT_TRUE(std::is_sorted(descending.begin() + at, descending.begin() + end, std::greater<>()));
    }
  }
  const auto wide = drawn_wide(Family::sorted);
  EXPECT_TRUE(std::is_sorted(wide.begin(), wide.begin() + row));
}

TEST(Families, OrderedRowsSpanTheDistribution) {
  const auto values = drawn(numbers(Family::sorted));
  EXPECT_LT(values.front(), -4.7f);
  EXPECT_GT(values[row - 1], 4.7f);
}

TEST(Families, EndsAreTheLeastAndTheLargest) {
  const auto values = drawn(numbers(Family::ends, Kind::integers));
  EXPECT_EQ(std::set<float>(values.begin(), values.end()), (std::set<float>{-5, 5}));
  const auto wide = drawn_wide(Family::ends);
  EXPECT_EQ(std::set<std::int64_t>(wide.begin(), wide.end()),
            (std::set<std::int64_t>{-3'000'000'000'000, 4'000'000'000'000}));
}

TEST(Families, ElementsAreFarFrom0) {
  const auto below = drawn(numbers(Family::negative, Kind::normal));
  EXPECT_THAT(below, Each(Le(-64.0f)));
  EXPECT_GT(different(below), below.size() * 9 / 10);
  EXPECT_THAT(drawn(numbers(Family::positive, Kind::normal)), Each(testing::Ge(64.0f)));
}

TEST(Families, ElementsHaveTheirType) {
  Distribution distribution = numbers(Family::negative);
  distribution.dtype = Dtype::bfloat16;
  for (const float value : drawn(distribution)) ASSERT_EQ(value, rounded_to(Dtype::bfloat16, value));
}

TEST(Families, NearlyEqualElementsDiffer) {
  for (std::uint32_t key = 0; key < 8; ++key) {
    const auto values = drawn(numbers(Family::near_equal, Kind::uniform, key));
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_LT(*most - *least, 0.003f);
    EXPECT_GT(different(values), values.size() / 2);
    EXPECT_GT(std::fabs(values.front()), 0.9f);
  }
}

// The graph of these edges, as a matrix of their lengths; 0: there is none.
class Graphs : public testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint64_t nodes = 9;

  static std::vector<float> edges(Family family) {
    Distribution distribution{Kind::adjacency, 0.3, 0};
    distribution.columns = nodes;
    distribution.variation = {family, GetParam(), nodes};
    return drawn(distribution, nodes * nodes);
  }

  static std::uint64_t count(const std::vector<float>& edges) {
    return static_cast<std::uint64_t>(
        std::count_if(edges.begin(), edges.end(), [](float edge) { return edge > 0; }));
  }
};

TEST_P(Graphs, OfOneCycle) {
  const auto matrix = edges(Family::cycle);
  EXPECT_EQ(count(matrix), nodes);
  std::uint64_t node = 0;
  std::set<std::uint64_t> seen;
  for (std::uint64_t step = 0; step < nodes; ++step) {
    seen.insert(node);
    for (std::uint64_t next = 0; next < nodes; ++next) {
      if (matrix[node * nodes + next] == 0) continue;
      node = next;
      break;
    }
  }
  EXPECT_EQ(seen.size(), nodes);
  EXPECT_EQ(node, 0u);
}

TEST_P(Graphs, OfOneStar) {
  const auto matrix = edges(Family::star);
  EXPECT_EQ(count(matrix), 2 * (nodes - 1));
  const std::uint64_t middle = GetParam() % nodes;
  for (std::uint64_t other = 0; other < nodes; ++other) {
    EXPECT_EQ(matrix[middle * nodes + other] > 0, other != middle);
    EXPECT_EQ(matrix[other * nodes + middle] > 0, other != middle);
  }
}

TEST_P(Graphs, OfAllEdges) {
  const auto matrix = edges(Family::dense);
  EXPECT_EQ(count(matrix), nodes * (nodes - 1));
  EXPECT_THAT(matrix, Each(Le(100.0f)));
  EXPECT_GT(different(matrix), nodes);
}

INSTANTIATE_TEST_SUITE_P(Keys, Graphs, testing::Values(0u, 5u, 12u));

// A problem with two inputs and one output, and its case.
class InputFamilies : public testing::Test {
 protected:
  InputFamilies() {
    for (const char* name : {"keys", "places", "output"}) {
      Parameter parameter;
      parameter.name = name;
      parameter.type = "[VAR]";
      parameter.pointer = true;
      parameter.is_const = parameter.name != "output";
      problem_.parameters.push_back(parameter);
      Tensor tensor;
      tensor.name = name;
      tensor.parameter = case_.tensors.size();
      tensor.output = !parameter.is_const;
      tensor.shape = {rows, row};
      tensor.elements = rows * row;
      tensor.init = {ResolvedInit::Kind::uniform, 0, 1};
      case_.tensors.push_back(tensor);
    }
    case_.name = "small";
    keys().init = {ResolvedInit::Kind::integers, 0, 9};
    problem_.parameters.back().compare.kind = Comparison::Kind::exact;
  }

  Tensor& keys() { return case_.tensors[0]; }
  std::vector<Family> families(std::size_t tensor) const { return families_of(problem_, case_, tensor); }
  Family family(std::size_t tensor, std::uint32_t number, std::uint64_t seed = 3) const {
    return variation_of(problem_, case_, tensor, {.seed = seed, .family = number}).family;
  }

  Problem problem_;
  Case case_;
};

TEST_F(InputFamilies, OfIntegersKeepToTheirRange) {
  const std::vector<Family> any = {Family::one_value, Family::few_values, Family::runs,
                                   Family::sorted,    Family::reversed,   Family::ends};
  EXPECT_EQ(families(0), any);
}

TEST_F(InputFamilies, OfRealNumbersMayBeNegativeAndNear) {
  EXPECT_THAT(families(1), testing::IsSupersetOf({Family::negative, Family::positive, Family::near_equal}));
  case_.dtype = Dtype::bfloat16;
  EXPECT_THAT(families(1), testing::Not(testing::Contains(Family::near_equal)));
}

TEST_F(InputFamilies, OfGraphsAreGraphs) {
  keys().init = {ResolvedInit::Kind::adjacency, 0.3, 0};
  EXPECT_THAT(families(0),
              testing::UnorderedElementsAre(Family::cycle, Family::star, Family::dense, Family::one_value));
  keys().init.first = 1;
  EXPECT_THAT(families(0), testing::ElementsAre(Family::one_value));
}

TEST_F(InputFamilies, AreForDrawnInputsOfExactProblems) {
  EXPECT_THAT(families(2), testing::IsEmpty()) << "an output";
  keys().init.kind = ResolvedInit::Kind::computed;
  EXPECT_THAT(families(0), testing::IsEmpty());
  keys().init.kind = ResolvedInit::Kind::constant;
  EXPECT_THAT(families(0), testing::IsEmpty());
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  EXPECT_THAT(families(1), testing::IsEmpty()) << "where errors have a bound";
  EXPECT_EQ(count_families(problem_, case_), 0u);
}

TEST_F(InputFamilies, ComeInTurn) {
  ASSERT_EQ(count_families(problem_, case_), 9u);
  std::vector<Family> of_first;
  for (std::uint32_t number = 1; number <= 6; ++number) of_first.push_back(family(0, number));
  EXPECT_EQ(of_first, families(0));
  EXPECT_EQ(family(0, 0), Family::own);
  std::set<Family> of_second;
  for (std::uint64_t seed = 0; seed < 60; ++seed) of_second.insert(family(1, 1, seed));
  EXPECT_EQ(of_second.size(), 9u) << "every one may stand beside one of the first";
}

TEST_F(InputFamilies, AreNamedByInput) {
  case_.tensors[1].init.kind = ResolvedInit::Kind::constant;
  EXPECT_EQ(families_text(problem_, case_, {.family = 1}), "keys: all elements are equal");
  EXPECT_EQ(families_text(problem_, case_, {}), "");
}

}  // namespace families_test
}  // namespace kgrade
