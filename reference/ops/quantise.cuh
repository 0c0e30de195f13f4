// Matrices of low-precision numbers in blocks with a common scale: MXFP4 and MXFP8 of the OCP Microscaling
// Formats Specification, and NVFP4. A thread works on one element, or on one block.
#pragma once

#include <cmath>

#include "ops/launch.cuh"

namespace ops {

// Small floating-point formats: a sign, an exponent, a mantissa. Codes from 0 to `largest` are the numbers
// from 0 on.
struct E2m1 {
  static constexpr int mantissa_bits = 1, bias = 1, largest_exponent = 2, sign = 0x8;
  static constexpr int largest = 0x7;  // 6
  static constexpr int per_byte = 2;
};
struct E4m3 {
  static constexpr int mantissa_bits = 3, bias = 7, largest_exponent = 8, sign = 0x80;
  static constexpr int largest = 0x7E;  // 448; above it is NaN
  static constexpr int per_byte = 1;
};

template <class Format>
__device__ accumulator number_of(int code) {
  const int size = code & (Format::sign - 1);
  const int exponent = size >> Format::mantissa_bits;
  const int mantissa = size & ((1 << Format::mantissa_bits) - 1);
  const accumulator number = exponent == 0
                                 ? std::ldexp(accumulator(mantissa), 1 - Format::bias - Format::mantissa_bits)
                                 : std::ldexp(accumulator(mantissa + (1 << Format::mantissa_bits)),
                                              exponent - Format::bias - Format::mantissa_bits);
  return code & Format::sign ? -number : number;
}

// The code of the nearest number. Of two equally near numbers it is the even code, and beyond the largest
// number it is `largest`.
template <class Format>
__device__ int code_of(accumulator x) {
  const accumulator size = std::fabs(x);
  const int smallest = 1 - Format::bias;
  const int exponent = size < std::ldexp(accumulator(1), smallest) ? smallest : std::ilogb(size);
  const accumulator steps = std::rint(std::ldexp(size, Format::mantissa_bits - exponent));
  const accumulator code = steps + accumulator((exponent - smallest) << Format::mantissa_bits);
  const int nearest = code > Format::largest ? Format::largest : static_cast<int>(code);
  return x < 0 ? nearest | Format::sign : nearest;
}

// Scales that are powers of two, for the largest element of a block.
struct E8m0 {
  __device__ static accumulator number(std::uint8_t code) { return std::ldexp(accumulator(1), code - 127); }
  template <class Format>
  __device__ static std::uint8_t code_for(accumulator largest, accumulator) {
    if (largest == 0) return 0;
    const int exponent = std::ilogb(largest) - Format::largest_exponent + 127;
    return static_cast<std::uint8_t>(exponent < 0 ? 0 : exponent);
  }
};
// Scales of E4M3, in units of 1 / divisor.
struct E4m3Scale {
  __device__ static accumulator number(std::uint8_t code) { return number_of<E4m3>(code); }
  template <class Format>
  __device__ static std::uint8_t code_for(accumulator largest, accumulator divisor) {
    // In single precision, as in the definition.
    const float scale = static_cast<float>(largest) / 6 * static_cast<float>(divisor);
    return static_cast<std::uint8_t>(code_of<E4m3>(scale));
  }
};

// The place of a block's scale: row by row, or in tiles of 128 rows and 4 columns, in which the rows r, r +
// 32, r + 64 and r + 96 are neighbours.
struct RowByRow {
  __device__ static std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t columns) {
    return row * columns + column;
  }
  static std::int64_t count(std::int64_t rows, std::int64_t columns) { return rows * columns; }
};
struct Swizzled {
  __device__ static std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t columns) {
    const std::int64_t tile = row / 128 * ((columns + 3) / 4) + column / 4;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column % 4;
  }
  static std::int64_t count(std::int64_t rows, std::int64_t columns) {
    return (rows + 127) / 128 * ((columns + 3) / 4) * 512;
  }
};

// The parts of a format: MXFP4 is Blocks<E2m1, E8m0, 32>.
template <class NumberFormat, class ScaleFormat, int Size, class Order = RowByRow>
struct Blocks {
  using Number = NumberFormat;
  using Scale = ScaleFormat;
  using Layout = Order;
  static constexpr int size = Size;
};

struct QuantisedShape {
  std::int64_t rows;
  std::int64_t columns;  // whole blocks
  accumulator divisor = 1;

  __host__ __device__ std::int64_t elements() const { return rows * columns; }
};

inline QuantisedShape quantised_shape(std::size_t rows, std::size_t columns, accumulator divisor = 1) {
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), divisor};
}

template <class Format, class Output>
__global__ void dequantise_kernel(const std::uint8_t* codes, const std::uint8_t* scales, Output* output,
                                  QuantisedShape shape) {
  using Number = typename Format::Number;
  const std::int64_t at = position_in_plane();
  if (at >= shape.elements()) return;
  const std::int64_t row = at / shape.columns, block = at % shape.columns / Format::size;
  const int byte = codes[at / Number::per_byte];
  const int code = Number::per_byte == 2 && at % 2 == 1 ? byte >> 4 : byte;
  const std::int64_t place = Format::Layout::place(row, block, shape.columns / Format::size);
  const accumulator number = number_of<Number>(code) * Format::Scale::number(scales[place]);
  output[at] = static_cast<Output>(number / shape.divisor);
}

// output[row, column] = number * scale / divisor.
template <class Format, class Output>
void dequantise(const std::uint8_t* codes, const std::uint8_t* scales, Output* output,
                const QuantisedShape& shape) {
  dequantise_kernel<Format>
      <<<plane_grid(1, shape.elements()), threads_per_block>>>(codes, scales, output, shape);
}

template <class Format>
__global__ void quantise_kernel(const element* input, std::uint8_t* codes, std::uint8_t* scales,
                                QuantisedShape shape) {
  using Number = typename Format::Number;
  const std::int64_t blocks_in_row = shape.columns / Format::size;
  const std::int64_t at = position_in_plane();
  if (at >= shape.rows * blocks_in_row) return;
  const element* const x = input + at * Format::size;
  accumulator largest = 0;
  for (int i = 0; i < Format::size; ++i)
    largest = std::fmax(largest, std::fabs(static_cast<accumulator>(x[i])));
  const std::uint8_t scale_code = Format::Scale::template code_for<Number>(largest, shape.divisor);
  scales[Format::Layout::place(at / blocks_in_row, at % blocks_in_row, blocks_in_row)] = scale_code;
  const accumulator scale = Format::Scale::number(scale_code);
  std::uint8_t* const block_codes = codes + at * (Format::size / Number::per_byte);
  for (int i = 0; i < Format::size; i += Number::per_byte) {
    int byte = 0;
    for (int k = 0; k < Number::per_byte; ++k) {
      const accumulator number =
          scale > 0 ? static_cast<accumulator>(x[i + k]) * shape.divisor / scale : accumulator(0);
      byte |= code_of<Number>(number) << (4 * k);
    }
    block_codes[i / Number::per_byte] = static_cast<std::uint8_t>(byte);
  }
}

// The scale of a block is for its largest element; codes are the nearest numbers to element * divisor /
// scale.
template <class Format>
void quantise(const element* input, std::uint8_t* codes, std::uint8_t* scales, const QuantisedShape& shape) {
  const std::int64_t blocks = shape.elements() / Format::size;
  // Scales beside the matrix are zero.
  cudaMemsetAsync(scales, 0, Format::Layout::count(shape.rows, shape.columns / Format::size));
  quantise_kernel<Format><<<plane_grid(1, blocks), threads_per_block>>>(input, codes, scales, shape);
}

}  // namespace ops
