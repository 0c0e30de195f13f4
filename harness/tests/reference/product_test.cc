// reference/ops/product.cuh against sums in long double.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/reference/operator_arguments.h"
#include "tests/reference/operator_library.h"
#include "tests/reference/output_buffer.h"

namespace kgrade::test::product_test {

using testing::ElementsAre;

template <class T>
using Product = int(const ProductArguments*, const float*, const float*, T*);

// Rows and columns, and whether they are row-major. `gap` numbers after each line belong to no matrix.
Strides strides(std::int64_t rows, std::int64_t columns, bool row_major = true, std::int64_t gap = 0) {
  const std::int64_t line = (row_major ? columns : rows) + gap;
  return {row_major ? line : 1, row_major ? 1 : line, line * (row_major ? rows : columns)};
}

ProductArguments row_major(std::int64_t rows, std::int64_t columns, std::int64_t terms,
                           std::int64_t batches = 1) {
  return {rows, columns, terms, batches, strides(rows, terms), strides(terms, columns)};
}

std::size_t place(const Strides& strides, std::int64_t batch, std::int64_t row, std::int64_t column) {
  return static_cast<std::size_t>(batch * strides.batch + row * strides.row + column * strides.column);
}

// Numbers from -1 to 1 in the places of a matrix, and NaN between them.
std::vector<float> numbers(const Strides& strides, std::int64_t batches, std::int64_t rows,
                           std::int64_t columns, std::mt19937& random) {
  std::vector<float> result(place(strides, batches - 1, rows - 1, columns - 1) + 1,
                            std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        result[place(strides, batch, row, column)] = static_cast<float>(random()) * 0x1p-31f - 1;
      }
    }
  }
  return result;
}

std::vector<long double> host_product(const ProductArguments& c, const std::vector<float>& a,
                                      const std::vector<float>& b) {
  std::vector<long double> result;
  for (std::int64_t batch = 0; batch < c.batches; ++batch) {
    for (std::int64_t row = 0; row < c.rows; ++row) {
      for (std::int64_t column = 0; column < c.columns; ++column) {
        long double sum = 0;
        for (std::int64_t k = 0; k < c.terms; ++k) {
          sum += static_cast<long double>(a[place(c.a, batch, row, k)]) * b[place(c.b, batch, k, column)];
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

class ReferenceProduct : public testing::Test {
 protected:
  template <class T>
  std::vector<T> run(const LoadedLibrary& library, const ProductArguments& c, const std::vector<float>& a,
                     const std::vector<float>& b, const char* name = "product") const {
    OutputBuffer<T> output(static_cast<std::size_t>(c.batches * c.rows * c.columns));
    EXPECT_EQ(library.function<Product<T>>(name)(&c, a.data(), b.data(), output.data()), 0);
    EXPECT_TRUE(output.guards_intact());
    return output.values();
  }

  // Partial sums of k products are of the size of sqrt(k) / 3, and each is rounded. The bound is some eight
  // times the usual sum of these roundings.
  void expect_sums(const ProductArguments& c) {
    SCOPED_TRACE(testing::Message() << c.batches << " of " << c.rows << " x " << c.columns << " x "
                                    << c.terms);
    const auto a = numbers(c.a, c.a.batch == 0 ? 1 : c.batches, c.rows, c.terms, random_);
    const auto b = numbers(c.b, c.b.batch == 0 ? 1 : c.batches, c.terms, c.columns, random_);
    const std::vector<long double> expected = host_product(c, a, b);
    const double roundings = static_cast<double>(c.terms + 16);
    EXPECT_TRUE(matches(run<double>(double_, c, a, b), expected, roundings * 0x1p-53));
    EXPECT_TRUE(matches(run<float>(float_, c, a, b), expected, roundings * 0x1p-24));
  }

  const LoadedLibrary& double_ = operator_library("product_operators.cu");
  const LoadedLibrary& float_ = operator_library("product_operators.cu", "float");
  std::mt19937 random_{4};
};

TEST_F(ReferenceProduct, MultipliesRowsByColumns) {
  EXPECT_THAT(run<double>(double_, row_major(2, 2, 3), {1, 2, 3, 4, 5, 6}, {1, 10, 2, 20, 3, 30}),
              ElementsAre(14, 140, 32, 320));
}

TEST_F(ReferenceProduct, AgreesOnEveryEdgeOfASquareAndATile) {
  for (const std::int64_t rows : {1, 7, 64, 65}) {
    for (const std::int64_t columns : {1, 8, 63, 130}) {
      for (const std::int64_t terms : {1, 15, 16, 33}) expect_sums(row_major(rows, columns, terms));
    }
  }
}

TEST_F(ReferenceProduct, AgreesInLargeSquares) {
  expect_sums(row_major(65, 127, 9, 128));
  expect_sums(row_major(129, 130, 23, 32));
  expect_sums(row_major(1409, 1400, 8));
}

TEST_F(ReferenceProduct, AgreesOverSeveralRuns) {
  expect_sums(row_major(3, 5, 511));
  expect_sums(row_major(3, 5, 513));
  expect_sums(row_major(66, 2, 5000));
  expect_sums(row_major(65, 66, 530, 128));
}

TEST_F(ReferenceProduct, FollowsTheStridesOfBothMatrices) {
  for (const bool a_row_major : {true, false}) {
    for (const bool b_row_major : {true, false}) {
      for (const std::int64_t batches : {3, 128}) {
        SCOPED_TRACE(testing::Message() << a_row_major << b_row_major);
        expect_sums({67, 70, 19, batches, strides(67, 19, a_row_major, 5), strides(19, 70, b_row_major, 3)});
      }
    }
  }
  expect_sums({5, 6, 40, 2, {200, 3, 1500}, {2, 90, 1000}});
}

TEST_F(ReferenceProduct, TakesOneMatrixForAllBatches) {
  ProductArguments c = row_major(5, 6, 7, 4);
  c.b.batch = 0;
  expect_sums(c);
}

TEST_F(ReferenceProduct, TellsTheFinishWhereTheElementIs) {
  for (const std::int64_t batches : {1, 128}) {
    const ProductArguments c = row_major(66, 67, 2, batches);
    const auto output = run<double>(double_, c, std::vector<float>(66 * 2 * batches),
                                    std::vector<float>(2 * 67 * batches), "placed_product");
    std::vector<double> expected;
    for (std::int64_t i = 0; i < batches * 66; ++i) {
      for (int column = 0; column < 67; ++column)
        expected.push_back(static_cast<double>(1000 * (i % 66) + column));
    }
    EXPECT_TRUE(matches(output, expected));
  }
}

// Of 1 + 2^-30 a float keeps only the 1, and of (1 + 2^-12)^2 not the 2^-24.
TEST_F(ReferenceProduct, MultipliesAndSumsInDouble) {
  const float small = 0x1p-30f;
  EXPECT_THAT(run<double>(double_, row_major(1, 1, 3), {1, small, -1}, {1, 1, 1}), ElementsAre(small));
  EXPECT_THAT(run<double>(double_, row_major(1, 1, 2), {1 + 0x1p-12f, -1}, {1 + 0x1p-12f, 1 + 0x1p-11f}),
              ElementsAre(0x1p-24f));
}

// One float after the other, the sum of these would be off by many roundings.
TEST_F(ReferenceProduct, SumsFloatsInShortRuns) {
  const ProductArguments c = row_major(1, 1, 1 << 16);
  std::vector<float> a(static_cast<std::size_t>(c.terms));
  for (float& value : a) value = static_cast<float>(random_()) * 0x1p-32f;
  const std::vector<float> ones(a.size(), 1);
  const auto sum = static_cast<double>(host_product(c, a, ones)[0]);
  float one_after_the_other = 0;
  for (const float value : a) one_after_the_other += value;
  const double roundings_one_after_the_other = std::abs(one_after_the_other - sum) / (sum * 0x1p-24);
  const double roundings = std::abs(run<float>(float_, c, a, ones)[0] - sum) / (sum * 0x1p-24);
  EXPECT_LT(roundings, 4) << "and " << roundings_one_after_the_other << " one after the other";
  EXPECT_GT(roundings_one_after_the_other, 20);
}

}  // namespace kgrade::test::product_test
