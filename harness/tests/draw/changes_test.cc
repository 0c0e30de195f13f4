#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "draw/distribution.h"

namespace kgrade::changes_test {

using Kind = Distribution::Kind;

constexpr Distribution unit_interval{Kind::uniform, 0, 1};
constexpr RandomStream changed_stream{42, 1, 2};

RandomStream source(std::uint32_t number) { return {7, 5, number}; }

InputChanges changes_of(const Distribution& distribution, std::uint64_t elements, std::uint32_t number) {
  return draw_changes(distribution, changed_stream, elements, source(number));
}

std::vector<std::uint64_t> positions(const InputChanges& changes) {
  return {changes.position, changes.position + changes.count};
}

std::vector<float> values(const InputChanges& changes) {
  return {changes.value, changes.value + changes.count};
}

TEST(InputChanges, PositionsAreInsideAndAllDifferent) {
  for (const std::uint64_t elements : {1, 2, 3, 7, 8, 9, 100, 1 << 20}) {
    for (std::uint32_t number = 0; number < 100; ++number) {
      const auto all = positions(changes_of(unit_interval, elements, number));
      for (const std::uint64_t position : all) ASSERT_LT(position, elements);
      ASSERT_EQ(std::set(all.begin(), all.end()).size(), all.size()) << elements << " " << number;
    }
  }
}

TEST(InputChanges, ThereIsAtLeastOneAndNeverMoreThanThereAreElements) {
  for (const std::uint64_t elements : {1, 2, 3, 7, 8, 9, 100}) {
    for (std::uint32_t number = 0; number < 100; ++number) {
      const unsigned int count = changes_of(unit_interval, elements, number).count;
      ASSERT_GE(count, 1u);
      ASSERT_LE(count, std::min<std::uint64_t>(max_input_changes, elements));
    }
  }
  EXPECT_EQ(changes_of(unit_interval, 1, 0).count, 1u);
}

TEST(InputChanges, LargeInputsHaveAllOfThem) {
  for (std::uint32_t number = 0; number < 100; ++number) {
    ASSERT_EQ(changes_of(unit_interval, 1 << 30, number).count, max_input_changes) << number;
  }
}

TEST(InputChanges, AnyElementCanChangeHoweverLargeTheInput) {
  constexpr std::uint64_t elements = std::uint64_t{1} << 40;
  std::uint64_t highest = 0;
  std::set<std::uint64_t> of_three;
  for (std::uint32_t number = 0; number < 100; ++number) {
    for (const std::uint64_t position : positions(changes_of(unit_interval, elements, number))) {
      highest = std::max(highest, position);
    }
    for (const std::uint64_t position : positions(changes_of(unit_interval, 3, number)))
      of_three.insert(position);
  }
  EXPECT_GT(highest, elements / 2);
  EXPECT_EQ(of_three, std::set<std::uint64_t>({0, 1, 2}));
}

TEST(InputChanges, ValuesAreOthersThanTheStreams) {
  for (const Distribution& distribution :
       {unit_interval, Distribution{Kind::normal, 1, 2}, Distribution{Kind::integers, -2, 3}}) {
    for (std::uint32_t number = 0; number < 100; ++number) {
      const InputChanges changes = changes_of(distribution, 1000, number);
      for (unsigned int k = 0; k < changes.count; ++k) {
        const std::uint64_t at = changes.position[k];
        ASSERT_NE(changes.value[k], element(distribution, random_block(changed_stream, at / 4), at))
            << number;
      }
    }
  }
}

TEST(InputChanges, ValuesAreOfTheSameDistribution) {
  std::set<float> integers;
  double sum_of_squares = 0;
  unsigned int count = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    for (const float value : values(changes_of({Kind::uniform, -2, 3}, 1000, number))) {
      ASSERT_GE(value, -2);
      ASSERT_LT(value, 3);
    }
    for (const float value : values(changes_of({Kind::integers, -2, 3}, 1000, number)))
      integers.insert(value);
    for (const float value : values(changes_of({Kind::normal, 0, 2}, 1000, number))) {
      sum_of_squares += static_cast<double>(value) * static_cast<double>(value);
      ++count;
    }
  }
  EXPECT_EQ(integers, std::set<float>({-2, -1, 0, 1, 2, 3}));
  // Five standard errors of the variance.
  EXPECT_NEAR(sum_of_squares / count, 4, 5 * std::sqrt(2.0 * 16 / count));
}

TEST(InputChanges, AConstantInputStaysAsItIs) {
  const InputChanges changes = changes_of({Kind::constant, 1.5, 0}, 1000, 0);
  for (const float value : values(changes)) EXPECT_EQ(value, 1.5f);
}

TEST(InputChanges, TheSameSourceGivesTheSameAndAnotherOneOthers) {
  const InputChanges first = changes_of(unit_interval, 1000, 1);
  EXPECT_EQ(positions(changes_of(unit_interval, 1000, 1)), positions(first));
  EXPECT_EQ(values(changes_of(unit_interval, 1000, 1)), values(first));
  EXPECT_NE(positions(changes_of(unit_interval, 1000, 2)), positions(first));
  EXPECT_NE(values(changes_of(unit_interval, 1000, 2)), values(first));
}

}  // namespace kgrade::changes_test
