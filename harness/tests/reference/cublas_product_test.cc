// What the baselines tell cuBLAS about a product; this needs neither cuBLAS nor a device.
#include <gmock/gmock.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "baseline/product.h"

namespace baseline::cublas_product_test {

using Values = std::vector<double>;

// As BLAS defines it, in column-major order.
double element(const Values& values, const ColumnMajor& matrix, std::int64_t row, std::int64_t column,
               std::int64_t of) {
  if (matrix.transposed) std::swap(row, column);
  return values[static_cast<std::size_t>(of * matrix.elements() + row + column * matrix.leading())];
}

Values blas_product(const ColumnMajorProduct& p, const Values& left, const Values& right) {
  Values output(static_cast<std::size_t>(p.batch * p.output.elements()));
  for (std::int64_t of = 0; of < p.batch; ++of) {
    for (std::int64_t column = 0; column < p.columns; ++column) {
      for (std::int64_t row = 0; row < p.rows; ++row) {
        double sum = 0;
        for (std::int64_t t = 0; t < p.terms; ++t)
          sum += element(left, p.left, row, t, of) * element(right, p.right, t, column, of);
        output[static_cast<std::size_t>(of * p.output.elements() + row + column * p.output.leading())] = sum;
      }
    }
  }
  return output;
}

// As problems define it, in row-major order.
Values plain_product(const Product& p, const Values& a, const Values& b) {
  Values output;
  for (std::int64_t of = 0; of < p.batch; ++of) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < p.k; ++t) {
          const std::int64_t in_a = p.a_transposed ? t * p.m + i : i * p.k + t;
          const std::int64_t in_b = p.b_transposed ? j * p.k + t : t * p.n + j;
          sum += a[static_cast<std::size_t>(of * p.m * p.k + in_a)] *
                 b[static_cast<std::size_t>(of * p.k * p.n + in_b)];
        }
        output.push_back(sum);
      }
    }
  }
  return output;
}

Values values_of(std::int64_t elements, int seed) {
  Values values;
  for (std::int64_t i = 0; i < elements; ++i)
    values.push_back(static_cast<double>((i * 37 + seed) % 101 - 50));
  return values;
}

TEST(CublasProduct, InColumnMajorOrderIsTheSame) {
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      Product product = product_of(3, 5, 7, 2);
      product.a_transposed = a_transposed;
      product.b_transposed = b_transposed;
      const Values a = values_of(2 * 3 * 7, 11);
      const Values b = values_of(2 * 7 * 5, 13);
      EXPECT_EQ(blas_product(column_major(product), b, a), plain_product(product, a, b))
          << a_transposed << b_transposed;
    }
  }
}

// cublasStrmm takes the part of a column-major matrix: the upper one holds a row-major lower triangle.
TEST(CublasProduct, ALowerTriangleIsAnUpperOneInColumnMajorOrder) {
  const Product product = product_of(3, 3, 3);
  const Values lower = {1, 0, 0, 2, 3, 0, 4, 5, 6};
  const ColumnMajor seen = column_major(product).right;
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t column = 0; column < row; ++column) EXPECT_EQ(element(lower, seen, row, column, 0), 0);
  }
}

TEST(CublasProduct, OnlyEqualProblemsHaveEqualKeys) {
  const Product product = product_of(3, 5, 7);
  EXPECT_EQ(product.key(), product_of(3, 5, 7).key());
  EXPECT_NE(product.key(), product_of(5, 3, 7).key());
  EXPECT_NE(product.key(), product_of(3, 5, 7, 2).key());
  for (const auto change : {&Product::a_transposed, &Product::b_transposed}) {
    Product other = product;
    other.*change = true;
    EXPECT_NE(product.key(), other.key());
  }
  Product triangle = product;
  triangle.a_triangle = Triangle::lower;
  EXPECT_NE(product.key(), triangle.key());
}

}  // namespace baseline::cublas_product_test
