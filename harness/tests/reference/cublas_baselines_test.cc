// The baselines of cuBLAS, as they are, on a cuBLAS on the host: whichever of its calls is the fastest, the
// answer is the product.
#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <functional>

#include "cublas_on_the_host.h"

// All of them define `solution`.
#define solution batched_matmul
#include "batched-matmul.cc"
#undef solution
#define solution diagonal_matmul
#include "diagonal-matmul.cc"
#undef solution
#define solution lower_trig_matmul
#include "lower-trig-matmul.cc"
#undef solution
#define solution upper_trig_matmul
#include "upper-trig-matmul.cc"
#undef solution
#define solution matmul_3d
#include "matmul-3d.cc"
#undef solution
#define solution matmul_4d
#include "matmul-4d.cc"
#undef solution
#define solution matmul_transposed_a
#include "matmul-transposed-a.cc"
#undef solution
#define solution matmul_transposed_b
#include "matmul-transposed-b.cc"
#undef solution
#define solution matmul_transposed_both
#include "matmul-transposed-both.cc"
#undef solution
#define solution matrix_multiplication
#include "matrix-multiplication.cc"
#undef solution
#define solution matrix_vector
#include "matrix-vector.cc"
#undef solution
#define solution square_matmul
#include "square-matmul.cc"
#undef solution
#define solution symmetric_matmul
#include "symmetric-matmul.cc"
#undef solution

namespace kgrade::test::cublas_baselines_test {

using Values = std::vector<float>;
// Where an element of a matrix is, of row and column.
using Place = std::function<std::size_t(std::size_t, std::size_t)>;

Values values_of(std::size_t elements, int seed) {
  Values values;
  for (std::size_t i = 0; i < elements; ++i)
    values.push_back(static_cast<float>((static_cast<int>(i) * 37 + seed) % 101 - 50));
  return values;
}

Place row_major(std::size_t columns) {
  return [columns](std::size_t row, std::size_t column) { return row * columns + column; };
}
Place transposed(std::size_t rows) {
  return [rows](std::size_t row, std::size_t column) { return column * rows + row; };
}

void add_product(Values& output, std::size_t m, std::size_t n, std::size_t k, const float* a,
                 const Place& in_a, const float* b, const Place& in_b) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < k; ++t) sum += double{a[in_a(i, t)]} * b[in_b(t, j)];
      output.push_back(static_cast<float>(sum));
    }
  }
}

Values product(std::size_t m, std::size_t n, std::size_t k, const Values& a, const Place& in_a,
               const Values& b, const Place& in_b) {
  Values output;
  add_product(output, m, n, k, a.data(), in_a, b.data(), in_b);
  return output;
}

// Each test has shapes of its own, since a plan is found once for each.
class CublasBaselines : public testing::TestWithParam<const char*> {
 protected:
  CublasBaselines() {
    static std::size_t tests = 0;
    n_ = 5 + ++tests;
    m_ = n_ + 2;
    k_ = n_ + 5;
    host_cublas() = {};
    host_cublas().fastest = GetParam();
  }
  ~CublasBaselines() override { EXPECT_FALSE(host_cublas().failed); }

  // The first call, which searches, and the next give what is expected; the next is the fastest that there
  // is.
  template <class Call>
  void expect(const Call& call, const Values& expected) {
    for (int round = 0; round < 2; ++round) {
      Values output(expected.size(), NAN);
      call(output.data());
      EXPECT_EQ(output, expected) << "round " << round;
    }
    EXPECT_EQ(host_cublas().searches, 1);
    if (host_cublas().called.count(GetParam()) > 0) {
      EXPECT_EQ(host_cublas().last, GetParam());
    }
    EXPECT_THAT(host_cublas().compute_types,
                testing::ElementsAre(KGRADE_TF32 != 0 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F));
  }

  std::size_t m_, n_, k_;
};

TEST_P(CublasBaselines, MultiplyTwoMatrices) {
  const Values a = values_of(m_ * k_, 1);
  const Values b = values_of(k_ * n_, 2);
  expect([&](float* out) { matrix_multiplication(a.data(), b.data(), out, m_, n_, k_); },
         product(m_, n_, k_, a, row_major(k_), b, row_major(n_)));
}

TEST_P(CublasBaselines, MultiplyAMatrixByAVector) {
  const Values a = values_of(m_ * k_, 3);
  const Values b = values_of(k_, 4);
  expect([&](float* out) { matrix_vector(a.data(), b.data(), out, m_, k_); },
         product(m_, 1, k_, a, row_major(k_), b, row_major(1)));
  EXPECT_EQ(host_cublas().called.count("gemv"), 1U);
  EXPECT_EQ(math_mode(), KGRADE_TF32 != 0 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
}

TEST_P(CublasBaselines, MultiplySquareMatrices) {
  const Values a = values_of(n_ * n_, 5);
  const Values b = values_of(n_ * n_, 6);
  expect([&](float* out) { square_matmul(a.data(), b.data(), out, n_); },
         product(n_, n_, n_, a, row_major(n_), b, row_major(n_)));
}

TEST_P(CublasBaselines, MultiplySymmetricMatrices) {
  Values a = values_of(n_ * n_, 7);
  const Values b = values_of(n_ * n_, 8);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) a[i * n_ + j] = a[j * n_ + i];
  }
  expect([&](float* out) { symmetric_matmul(a.data(), b.data(), out, n_); },
         product(n_, n_, n_, a, row_major(n_), b, row_major(n_)));
}

TEST_P(CublasBaselines, MultiplyTransposedMatrices) {
  const Values a = values_of(m_ * k_, 9);
  const Values b = values_of(k_ * n_, 10);
  expect([&](float* out) { matmul_transposed_a(a.data(), b.data(), out, m_, n_, k_); },
         product(m_, n_, k_, a, transposed(m_), b, row_major(n_)));
  host_cublas().searches = 0;
  expect([&](float* out) { matmul_transposed_b(a.data(), b.data(), out, m_, n_, k_); },
         product(m_, n_, k_, a, row_major(k_), b, transposed(k_)));
  host_cublas().searches = 0;
  expect([&](float* out) { matmul_transposed_both(a.data(), b.data(), out, m_, n_, k_); },
         product(m_, n_, k_, a, transposed(m_), b, transposed(k_)));
}

// cublasStrmm reads one triangle of the first matrix, and must be told the right one.
TEST_P(CublasBaselines, MultiplyTriangularMatrices) {
  Values lower = values_of(n_ * n_, 11);
  Values upper = values_of(n_ * n_, 12);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) lower[j * n_ + i] = upper[i * n_ + j] = 0;
  }
  const Values b = values_of(n_ * n_, 13);
  expect([&](float* out) { lower_trig_matmul(lower.data(), b.data(), out, n_); },
         product(n_, n_, n_, lower, row_major(n_), b, row_major(n_)));
  host_cublas().searches = 0;
  expect([&](float* out) { upper_trig_matmul(upper.data(), b.data(), out, n_); },
         product(n_, n_, n_, upper, row_major(n_), b, row_major(n_)));
  EXPECT_EQ(host_cublas().called.count("trmm"), 1U);
}

TEST_P(CublasBaselines, MultiplyTheMatricesOfABatch) {
  const Values a = values_of(3 * m_ * k_, 14);
  const Values b = values_of(3 * k_ * n_, 15);
  Values expected;
  for (std::size_t i = 0; i < 3; ++i)
    add_product(expected, m_, n_, k_, &a[i * m_ * k_], row_major(k_), &b[i * k_ * n_], row_major(n_));
  expect([&](float* out) { batched_matmul(a.data(), b.data(), out, 3, m_, n_, k_); }, expected);
}

TEST_P(CublasBaselines, MultiplyTensorsByAMatrix) {
  const Values a = values_of(6 * m_ * k_, 16);
  const Values b = values_of(k_ * n_, 17);
  const Values expected = product(6 * m_, n_, k_, a, row_major(k_), b, row_major(n_));
  expect([&](float* out) { matmul_3d(a.data(), b.data(), out, 6, m_, k_, n_); }, expected);
  Values output(expected.size(), NAN);
  matmul_4d(a.data(), b.data(), output.data(), 2, 3, m_, k_, n_);
  EXPECT_EQ(output, expected);
}

INSTANTIATE_TEST_SUITE_P(Fastest, CublasBaselines, testing::Values("gemm", "gemv", "trmm", "cublasLt"),
                         [](const auto& test) { return std::string(test.param); });

TEST(CublasBaseline, MultipliesADiagonalMatrix) {
  host_cublas() = {};
  const Values diagonal = values_of(4, 18);
  const Values b = values_of(4 * 7, 19);
  Values output(b.size(), NAN);
  diagonal_matmul(diagonal.data(), b.data(), output.data(), 4, 7);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_EQ(output[i], diagonal[i / 7] * b[i]) << i;
  EXPECT_FALSE(host_cublas().failed);
}

}  // namespace kgrade::test::cublas_baselines_test
