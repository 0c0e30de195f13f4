#include "soundness/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace kgrade::test {
namespace sample_test {

std::vector<std::uint64_t> elements_of(const TensorSample& sample) {
  std::vector<std::uint64_t> elements;
  for (const std::uint64_t begin : sample.begins) {
    for (std::uint64_t i = 0; i < sample.run; ++i) elements.push_back(begin + i);
  }
  return elements;
}

std::uint64_t count_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1},
                         [](std::uint64_t a, std::int64_t b) { return a * static_cast<std::uint64_t>(b); });
}

TEST(Sample, IsTheWholeOfASmallTensor) {
  const TensorSample sample = sample_of({3, 5}, 15);
  EXPECT_EQ(sample.shape, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(sample.begins, std::vector<std::uint64_t>{0});
  EXPECT_EQ(sample.run, 15U);
}

TEST(Sample, IsABoxOfDifferentElementsWithinTheTensor) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1'000'003},
                                                 {1024, 1024},
                                                 {3, 7, 100'003},
                                                 {700'001, 3},
                                                 {64, 32, 17, 31},
                                                 {1, 1, 999'999}}) {
    for (const std::uint64_t most : {std::uint64_t{16}, std::uint64_t{5000}, std::uint64_t{300'000}}) {
      const TensorSample sample = sample_of(shape, most);
      const std::vector<std::uint64_t> elements = elements_of(sample);
      EXPECT_LE(elements.size(), most);
      EXPECT_GE(elements.size(), most / 4);
      EXPECT_EQ(elements.size(), count_of(sample.shape));
      EXPECT_TRUE(std::is_sorted(elements.begin(), elements.end()));
      EXPECT_EQ(std::set<std::uint64_t>(elements.begin(), elements.end()).size(), elements.size());
      EXPECT_LT(elements.back(), count_of(shape));
      EXPECT_EQ(elements_of(sample_of(shape, most)), elements) << "always the same";
    }
  }
}

// Elements of one place of the sample's axis are of one place of the tensor's.
TEST(Sample, KeepsTheAxes) {
  const std::vector<std::int64_t> shape = {300, 40, 50};
  const TensorSample sample = sample_of(shape, 4096);
  const std::vector<std::uint64_t> elements = elements_of(sample);
  const auto inner = static_cast<std::size_t>(sample.shape[1] * sample.shape[2]);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(elements[i] / 2000, elements[i / inner * inner] / 2000);
    EXPECT_EQ(elements[i] % 2000, elements[i % inner] % 2000);
  }
}

TEST(Sample, IsSpreadOverTheWholeTensor) {
  const TensorSample sample = sample_of({1 << 24}, 1 << 16);
  EXPECT_LE(sample.begins.size(), 4096U) << "each is a read of its own";
  const std::vector<std::uint64_t> elements = elements_of(sample);
  for (std::uint64_t part = 0; part < 64; ++part) {
    EXPECT_TRUE(std::any_of(elements.begin(), elements.end(), [part](std::uint64_t i) {
      return i >> 18 == part;
    })) << part;
  }
}

}  // namespace sample_test
}  // namespace kgrade::test
