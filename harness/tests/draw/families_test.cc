// Families of inputs: what each makes of a distribution, and which a case can have.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <vector>

#include "device/input_blocks.h"
#include "draw/family.h"
#include "draw/input_families.h"
#include "problem/problem.h"

namespace kgrade::families_test {

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

// A normal distribution in a family whose elements are moved.
Distribution moved(Family family, double amount, double chance = 0.1) {
  Distribution distribution{Kind::normal, 0, 1};
  distribution.variation = {family, 7, row};
  distribution.variation.amount = amount;
  distribution.variation.chance = chance;
  return distribution;
}

TEST(Families, ElementsHaveOneSignOrEither) {
  EXPECT_THAT(drawn(numbers(Family::nonpositive, Kind::normal)), Each(Le(0.0f)));
  EXPECT_THAT(drawn(numbers(Family::nonnegative, Kind::normal)), Each(testing::Ge(0.0f)));
  Distribution near_1{Kind::uniform, 0.9, 1.1};
  near_1.variation = {Family::signs, 7, row};
  const auto values = drawn(near_1);
  const auto below = std::count_if(values.begin(), values.end(), [](float value) { return value < 0; });
  EXPECT_GT(below, 50);
  EXPECT_LT(below, 150);
}

TEST(Families, AllOrRowsAreShifted) {
  const auto own = drawn(moved(Family::own, 0));
  const auto shifted = drawn(moved(Family::shifted, -80));
  for (std::size_t i = 0; i < own.size(); ++i) ASSERT_EQ(shifted[i], own[i] - 80);
  Distribution rows_shifted = moved(Family::rows_shifted, 80);
  rows_shifted.variation.least_amount = -10;
  const auto by_row = drawn(rows_shifted);
  std::set<float> offsets;
  for (std::size_t first = 0; first < own.size(); first += row) {
    const float offset = std::round(by_row[first] - own[first]);
    EXPECT_GE(offset, -10);
    EXPECT_LE(offset, 80);
    offsets.insert(offset);
    for (std::size_t i = first; i < first + row; ++i) ASSERT_NEAR(by_row[i] - own[i], offset, 0.51);
  }
  EXPECT_EQ(offsets.size(), rows);
}

TEST(Families, RowsHaveAStepNearOneEnd) {
  std::set<bool> begins;
  for (std::uint32_t key = 0; key < 6; ++key) {
    Distribution distribution = moved(Family::step, 80);
    distribution.variation.least_amount = -70;
    distribution.variation.key = key;
    const auto values = drawn(distribution);
    for (std::size_t first = 0; first < values.size(); first += row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      const bool begins_high = *begin > 0;
      begins.insert(begins_high);
      const auto step =
          std::find_if(begin, begin + row, [&](float value) { return (value > 0) != begins_high; });
      EXPECT_GE(step - begin, 6);
      EXPECT_LE(step - begin, 44);
      EXPECT_NE(step - begin, 25) << "a row's sum would cancel";
      EXPECT_TRUE(std::all_of(step, begin + row, [&](float value) { return (value > 0) != begins_high; }));
      for (auto at = begin; at != begin + row; ++at) ASSERT_NEAR(*at, *at > 0 ? 80 : -70, 6);
    }
  }
  EXPECT_EQ(begins.size(), 2u);
}

TEST(Families, ElementsAreScaled) {
  const auto own = drawn(moved(Family::own, 0));
  const auto scaled = drawn(moved(Family::scaled, 0.25));
  for (std::size_t i = 0; i < own.size(); ++i) ASSERT_EQ(scaled[i], own[i] / 4);
}

TEST(Families, AFewElementsAreSpikesOrNot0) {
  const auto spikes = drawn(moved(Family::spikes, 1000));
  const auto high = std::count_if(spikes.begin(), spikes.end(), [](float x) { return std::fabs(x) == 1000; });
  EXPECT_GT(high, 5);
  EXPECT_LT(high, 40);
  const auto sparse = drawn(moved(Family::sparse, 0));
  const auto zeros = std::count(sparse.begin(), sparse.end(), 0.0f);
  EXPECT_GT(zeros, 160);
  EXPECT_LT(zeros, 195);
}

TEST(Families, SomeRowsAre0) {
  std::set<bool> kinds;
  for (std::uint32_t key = 0; key < 8; ++key) {
    const auto values = drawn(numbers(Family::zero_rows, Kind::normal, key));
    for (std::size_t first = 0; first < values.size(); first += row) {
      const auto zeros = std::count(values.begin() + first, values.begin() + first + row, 0.0f);
      ASSERT_TRUE(zeros == 0 || zeros == row);
      kinds.insert(zeros == 0);
    }
  }
  EXPECT_EQ(kinds.size(), 2u);
}

TEST(Families, ElementsStayInTheDomain) {
  for (const Family family :
       {Family::shifted, Family::rows_shifted, Family::step, Family::scaled, Family::spikes}) {
    Distribution distribution = moved(family, 80);
    distribution.variation.least = -5;
    distribution.variation.largest = 60;
    for (const float value : drawn(distribution)) {
      ASSERT_GE(value, -5);
      ASSERT_LE(value, 60);
    }
  }
}

TEST(Families, ElementsHaveTheirType) {
  Distribution distribution = moved(Family::shifted, 80);
  distribution.dtype = Dtype::bfloat16;
  distribution.variation.rounding = 24;
  for (const float value : drawn(distribution)) ASSERT_EQ(value, rounded_to(Dtype::bfloat16, value));
}

TEST(Families, SomeElementsGoToANeighbourIfRoundedOnceMore) {
  Distribution distribution = moved(Family::own, 0);
  const auto own = drawn(distribution);
  distribution.variation.rounding = 24;
  const auto rounded = drawn(distribution);
  std::size_t moved_up = 0, moved_down = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (rounded[i] == own[i]) continue;
    const bool is_up = rounded[i] > own[i];
    ASSERT_EQ(rounded[i], std::nextafter(own[i], is_up ? 10.0f : -10.0f));
    (is_up ? moved_up : moved_down) += 1;
  }
  EXPECT_GT(moved_up, 3u);
  EXPECT_GT(moved_down, 3u);
  EXPECT_LT(moved_up + moved_down, 50u);
}

TEST(Families, ElementsAreRoundedToFewerBits) {
  Distribution distribution = moved(Family::own, 0);
  const auto own = drawn(distribution);
  distribution.variation.rounding = 8;
  const auto rounded = drawn(distribution);
  for (std::size_t i = 0; i < own.size(); ++i) {
    ASSERT_EQ(rounded[i], rounded_to(Dtype::bfloat16, rounded[i]));
    ASSERT_NEAR(rounded[i], own[i], std::fabs(own[i]) / 256);
  }
}

TEST(Families, DoublesAreMovedToo) {
  Distribution distribution = moved(Family::shifted, 80);
  distribution.dtype = Dtype::float64;
  Distribution rounded = distribution;
  rounded.variation.rounding = 53;
  int others = 0;
  for (std::uint64_t i = 0; i < row * rows; ++i) {
    const double value = double_of(device::wide_element({distribution, stream, {}}, i));
    const double other = double_of(device::wide_element({rounded, stream, {}}, i));
    ASSERT_NEAR(value, 80, 8);
    ASSERT_NEAR(other, value, 1e-13);
    others += other != value;
  }
  EXPECT_GT(others, 5);
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

TEST(GraphsOfManyNodes, HaveCyclesThatEndInTime) {
  for (const std::uint64_t count : {1u, 1000u, 2048u, 2050u, 8192u}) {
    std::set<std::uint64_t> reached;
    std::uint64_t longest = 0;
    for (std::uint64_t node = 0; node < count; ++node) {
      reached.insert(next_in_cycle(node, count));
      std::uint64_t at = next_in_cycle(node, count), steps = 1;
      for (; at != node && steps <= count; ++steps) at = next_in_cycle(at, count);
      EXPECT_EQ(at, node);
      longest = std::max(longest, steps);
    }
    EXPECT_EQ(reached.size(), count) << "each node is in one cycle";
    EXPECT_EQ(longest, count <= 1024 ? count : count <= 2050 ? longest_cycle(count) : 64);
  }
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

  static std::set<Family> as_set(const std::vector<Family>& families) {
    return {families.begin(), families.end()};
  }
  // The families of the first draws, as many as the tensor has.
  std::set<Family> in_turn(std::size_t tensor, std::uint64_t seed) const {
    std::set<Family> seen;
    for (std::uint32_t number = 1; number <= families(tensor).size(); ++number)
      seen.insert(family(tensor, number, seed));
    return seen;
  }

  Problem problem_;
  Case case_;
};

// One call of get_inputs() gives all computed inputs, so the first stands for them.
TEST_F(InputFamilies, OfComputedInputsAreThoseOfTheFilesRandomNumbers) {
  for (const std::size_t tensor : {0, 1}) case_.tensors[tensor].init.kind = ResolvedInit::Kind::computed;
  EXPECT_TRUE(families(0).empty()) << "the reference's own inputs()";
  problem_.reference = "sample.py";
  EXPECT_THAT(families(0), testing::IsSupersetOf({Family::scaled, Family::sparse, Family::ends}));
  EXPECT_TRUE(families(1).empty());
  EXPECT_EQ(in_turn(0, 7), as_set(families(0)));
  EXPECT_EQ(families_text(problem_, case_, {.family = 1}), "the random numbers of get_inputs() are varied");
}

TEST_F(InputFamilies, OfIntegersKeepToTheirRange) {
  const std::vector<Family> any = {Family::one_value, Family::few_values, Family::runs,   Family::ends,
                                   Family::sorted,    Family::reversed,   Family::sparse, Family::zero_rows};
  EXPECT_EQ(families(0), any);
  keys().init.first = 1;
  EXPECT_THAT(families(0), testing::Not(testing::Contains(Family::sparse))) << "0 is none of them";
}

TEST_F(InputFamilies, OfIntegersAreShiftedInTheirDomain) {
  problem_.parameters[0].domain = Domain{0, 200, ""};
  EXPECT_THAT(families(0), testing::Contains(Family::shifted));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::uint32_t number = 1;
    while (family(0, number, seed) != Family::shifted) ++number;
    const Variation variation = variation_of(problem_, case_, 0, {.seed = seed, .family = number});
    EXPECT_EQ(variation.amount, std::round(variation.amount));
    EXPECT_GE(variation.amount, 1);
    EXPECT_LE(variation.amount, 191);
  }
}

TEST_F(InputFamilies, GoToBothEndsOfTheDomainFirst) {
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  problem_.parameters[1].domain = Domain{-90, 90, ""};
  keys().init.kind = ResolvedInit::Kind::constant;
  const auto count = static_cast<std::uint32_t>(families(1).size());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::set<double> amounts;
    for (std::uint32_t number = 1; number <= 2 * count; ++number) {
      const Variation variation = variation_of(problem_, case_, 1, {.seed = seed, .family = number});
      if (variation.family == Family::shifted) amounts.insert(variation.amount);
    }
    EXPECT_EQ(amounts, (std::set<double>{-90, 89})) << "of numbers from 0 to 1";
  }
}

TEST_F(InputFamilies, OfRealNumbersMayBeNegativeAndNear) {
  EXPECT_THAT(families(1),
              testing::IsSupersetOf({Family::nonpositive, Family::nonnegative, Family::near_equal}));
  case_.dtype = Dtype::bfloat16;
  EXPECT_THAT(families(1), testing::Not(testing::Contains(Family::near_equal)));
}

TEST_F(InputFamilies, OfPowersOfTwoStayAboveZero) {
  case_.tensors[1].own_dtype = Dtype::float8_e8m0fnu;
  case_.tensors[1].init = {ResolvedInit::Kind::uniform, 0.5, 4};
  EXPECT_EQ(families(1), (std::vector<Family>{Family::one_value, Family::few_values, Family::runs,
                                              Family::ends, Family::sorted, Family::reversed}));
}

TEST_F(InputFamilies, WhereErrorsHaveABoundKeepToTheSign) {
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  EXPECT_EQ(families(1), (std::vector<Family>{Family::sparse, Family::zero_rows, Family::scaled}));
  problem_.parameters[1].domain = Domain{-90, 90, ""};
  EXPECT_THAT(families(1),
              testing::IsSupersetOf({Family::nonpositive, Family::signs, Family::shifted, Family::spikes}));
  EXPECT_THAT(families(1), testing::Not(testing::Contains(Family::sorted)));
}

TEST_F(InputFamilies, DoNotRepeatTheTermsOfLongSums) {
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  problem_.parameters[1].domain = Domain{-90, 90, ""};
  const std::vector<Family> repeating = {Family::one_value, Family::few_values, Family::zero_rows};
  case_.terms = 100;
  EXPECT_THAT(families(1), testing::IsSupersetOf(repeating));
  case_.terms = 10'000;
  for (const Family family : repeating) EXPECT_THAT(families(1), testing::Not(testing::Contains(family)));
}

TEST_F(InputFamilies, AreNotSmallInFloat16AndInTheLongestSums) {
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  EXPECT_THAT(families(1), testing::Contains(Family::sparse));
  case_.terms = 100'000;
  EXPECT_THAT(families(1), testing::Not(testing::Contains(Family::sparse)));
  case_.terms = 1;
  case_.dtype = Dtype::float16;
  EXPECT_THAT(families(1), testing::Not(testing::Contains(Family::sparse)));
}

TEST_F(InputFamilies, WithoutADomainStayWithinTwoDeviations) {
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  case_.tensors[1].init = {ResolvedInit::Kind::normal, 1, 2};
  keys().init.kind = ResolvedInit::Kind::constant;
  bool is_seen = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (std::uint32_t number = 1; number <= families(1).size(); ++number) {
      const Variation variation = variation_of(problem_, case_, 1, {.seed = seed, .family = number});
      if (variation.family != Family::shifted) continue;
      is_seen = true;
      EXPECT_GE(1 + variation.amount, -4);
      EXPECT_LE(1 + variation.amount, 4);
    }
  }
  EXPECT_TRUE(is_seen);
}

TEST_F(InputFamilies, MayBeLeftOut) {
  problem_.parameters[0].without = {{Family::runs, {"why", {}}}};
  EXPECT_THAT(families(0), testing::Not(testing::Contains(Family::runs)));
  for (const Family family : families(0)) problem_.parameters[0].without.emplace(family, LeftOut{"why", {}});
  EXPECT_THAT(families(0), testing::IsEmpty());
}

TEST_F(InputFamilies, InputsAreRoundedAsTheDrawSays) {
  case_.tensors[1].init = {ResolvedInit::Kind::normal, 0, 1};
  case_.tensors[2].elements = 1;
  case_.terms = 400;
  EXPECT_EQ(variation_of(problem_, case_, 1, {.family = 1}).rounding, 0);
  const Variation variation = variation_of(problem_, case_, 1, {.family = 1, .rounding = 24});
  EXPECT_EQ(variation.rounding, 24);
  EXPECT_EQ(variation.ulps, 5) << "a quarter of the root of the terms, for one output";
  EXPECT_EQ(variation.moved, 4u);
  EXPECT_EQ(variation_of(problem_, case_, 0, {.family = 1, .rounding = 24}).rounding, 0) << "whole numbers";
}

// A single row of two logits has two inputs: half of the roundings move neither, or both the same way.
TEST_F(InputFamilies, AreRoundedSeveralTimesForFewOutputs) {
  const Draw draw{.seed = 5, .family = 1};
  EXPECT_THAT(rounded_draws(case_, draw, 53), testing::SizeIs(1)) << "many outputs";
  case_.tensors[2].elements = 1;
  EXPECT_THAT(rounded_draws(case_, draw, 0), testing::ElementsAre(draw)) << "not rounded";
  EXPECT_THAT(rounded_draws(case_, draw, 11), testing::SizeIs(1)) << "each rounding is the same";
  std::set<float> values;
  Distribution distribution{Kind::uniform, 1, 2};
  case_.tensors[1].init = {ResolvedInit::Kind::uniform, 1, 2};
  for (const Draw& rounded : rounded_draws(case_, draw, 53)) {
    EXPECT_EQ(rounded.rounding, 53);
    distribution.variation = variation_of(problem_, case_, 1, rounded);
    distribution.variation.family = Family::own;
    for (const float value : drawn(distribution, 4)) values.insert(value);
  }
  EXPECT_GT(values.size(), 6u) << "of four elements";
}

TEST_F(InputFamilies, MoveInputsFurtherWhereSumsGrowWithEachTerm) {
  for (const std::size_t tensor : {0, 1}) case_.tensors[tensor].init = {ResolvedInit::Kind::normal, 0, 1};
  problem_.parameters.back().compare.kind = Comparison::Kind::norm;
  case_.terms = 60;
  const auto ulps_are = [&](std::int32_t ulps, bool have_one_sign) {
    bool is_seen = false;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      for (std::uint32_t number = 1; number <= families(0).size(); ++number) {
        const Draw draw{.seed = seed, .family = number, .rounding = 53};
        const Variation first = variation_of(problem_, case_, 0, draw);
        const Variation second = variation_of(problem_, case_, 1, draw);
        const auto is_shifted = [](const Variation& one) { return one.family == Family::rows_shifted; };
        if (!is_shifted(first) || (is_shifted(second) != have_one_sign)) continue;
        if (!have_one_sign && second.family != Family::own) continue;
        is_seen = true;
        EXPECT_EQ(first.ulps, ulps);
        EXPECT_EQ(second.ulps, ulps);
      }
    }
    EXPECT_TRUE(is_seen);
  };
  ulps_are(20, true);
  ulps_are(1, false);
  case_.terms = 4096;
  ulps_are(32, true);
  case_.terms = 1 << 18;
  ulps_are(32, true);
  case_.terms *= 2;  // a thread that adds them one by one loses the small ones
  ulps_are(1 << 22, true);
  ulps_are(1, false);
}

TEST_F(InputFamilies, OfAChoiceStayAmongItsNumbers) {
  keys().init = {.kind = ResolvedInit::Kind::choice, .choices = {-1, 1}};
  EXPECT_THAT(families(0), testing::Not(testing::Contains(Family::sparse)));
  EXPECT_THAT(families(0), testing::Not(testing::Contains(Family::zero_rows)));
  keys().init.choices = {-1, 0, 1};
  EXPECT_THAT(families(0), testing::IsSupersetOf({Family::sparse, Family::zero_rows}));
}

TEST_F(InputFamilies, OfGraphsAreGraphs) {
  keys().init = {ResolvedInit::Kind::adjacency, 0.3, 0};
  EXPECT_THAT(families(0),
              testing::UnorderedElementsAre(Family::cycle, Family::star, Family::dense, Family::one_value));
  keys().init.first = 1;
  EXPECT_THAT(families(0), testing::ElementsAre(Family::one_value));
}

TEST_F(InputFamilies, AreForDrawnInputs) {
  EXPECT_THAT(families(2), testing::IsEmpty()) << "an output";
  keys().init.kind = ResolvedInit::Kind::computed;
  EXPECT_THAT(families(0), testing::IsEmpty());
  keys().init.kind = ResolvedInit::Kind::constant;
  EXPECT_THAT(families(0), testing::IsEmpty());
  case_.tensors[1].init.kind = ResolvedInit::Kind::constant;
  EXPECT_EQ(count_families(problem_, case_), 0u);
}

TEST_F(InputFamilies, ComeInTurn) {
  const auto all = static_cast<std::uint32_t>(families(1).size());
  ASSERT_EQ(count_families(problem_, case_), all);
  std::set<Family> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(in_turn(0, seed), as_set(families(0)));
    first.insert(family(0, 1, seed));
  }
  EXPECT_EQ(first, as_set(families(0))) << "the seed decides the order";
  EXPECT_EQ(family(0, 0), Family::own);
  std::set<Family> of_second;
  for (std::uint64_t seed = 0; seed < 400; ++seed) of_second.insert(family(1, 1, seed));
  EXPECT_EQ(of_second.size(), all + 1)
      << "every one may stand beside one of the first, or its own distribution";
}

TEST_F(InputFamilies, AreNamedByInput) {
  case_.tensors[1].init.kind = ResolvedInit::Kind::constant;
  std::uint32_t number = 1;
  while (family(0, number, 7) != Family::one_value) ++number;
  EXPECT_EQ(families_text(problem_, case_, {.seed = 7, .family = number}), "keys: all elements are equal");
  EXPECT_EQ(families_text(problem_, case_, {}), "");
}

}  // namespace kgrade::families_test
