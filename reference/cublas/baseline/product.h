// A product of matrices, as a problem has it and as cuBLAS sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace baseline {

enum class Triangle { none, lower, upper };

// output (m, n) = a (m, k) times b (k, n), for each of a batch; all of them row-major. A transposed factor is
// stored as (k, m) or (n, k). `a_triangle` says which part of it is not zero.
struct Product {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  bool a_transposed = false, b_transposed = false;
  Triangle a_triangle = Triangle::none;

  std::int64_t elements() const { return batch * m * n; }
  // Equal for equal problems.
  std::vector<std::int64_t> key() const {
    return {m, n, k, batch, a_transposed, b_transposed, static_cast<std::int64_t>(a_triangle)};
  }
};

inline Product product_of(std::size_t m, std::size_t n, std::size_t k, std::size_t batch = 1) {
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  return {number(m), number(n), number(k), number(batch)};
}

// A factor or an output in column-major order: `rows` by `columns` as it is stored.
struct ColumnMajor {
  std::int64_t rows, columns;
  bool transposed;  // before it is multiplied

  std::int64_t leading() const { return rows; }
  std::int64_t elements() const { return rows * columns; }
};

// cuBLAS is column-major, and a row-major matrix is the transpose of a column-major one: the transpose of the
// output is that of b times that of a. So b is the left factor, and the output has n rows and m columns.
struct ColumnMajorProduct {
  std::int64_t rows, columns, terms, batch;
  ColumnMajor left, right, output;
};

inline ColumnMajorProduct column_major(const Product& p) {
  const auto stored = [](std::int64_t rows, std::int64_t columns, bool transposed) {
    return transposed ? ColumnMajor{columns, rows, true} : ColumnMajor{rows, columns, false};
  };
  return {p.n,
          p.m,
          p.k,
          p.batch,
          stored(p.n, p.k, p.b_transposed),
          stored(p.k, p.m, p.a_transposed),
          {p.n, p.m, false}};
}

}  // namespace baseline
