// Products of matrices of low-precision numbers. Both matrices are converted to accumulators first.
#pragma once

#include "ops/product.cuh"
#include "ops/quantise.cuh"

namespace ops {

struct QuantisedMatrix {
  const std::uint8_t* codes;
  const std::uint8_t* scales;
  QuantisedShape shape;
};

// output = A B^T, of the numbers that the codes stand for.
template <class Format, class Output>
void quantised_product(const QuantisedMatrix& a, const QuantisedMatrix& b, Output* output) {
  const Intermediate a_numbers(a.shape.elements());
  const Intermediate b_numbers(b.shape.elements());
  if (a_numbers.data() == nullptr || b_numbers.data() == nullptr) return;
  dequantise<Format>(a.codes, a.scales, a_numbers.data(), a.shape);
  dequantise<Format>(b.codes, b.scales, b_numbers.data(), b.shape);
  product(row_major(a_numbers.data(), a.shape.columns),
          transposed(row_major(b_numbers.data(), b.shape.columns)), output,
          ProductShape{a.shape.rows, b.shape.rows, a.shape.columns});
}

}  // namespace ops
