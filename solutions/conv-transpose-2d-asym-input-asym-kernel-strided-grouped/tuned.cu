// Strided, grouped transposed 2D convolution, bound by the memory that its output takes.
//
// What bounds it: the measured case writes 806 MB and reads 67 MB, 0.20 ms at 4.30 TB/s. Half of what it
// writes are zeros: with a stride and a dilation of 2, taps reach every other row only. Its 8 GFLOP would
// keep the fp32 pipes busy for most of that time, together with their loads and addresses.
//
// What is done about it:
// - Stores. Rows are 3064 bytes long and begin anywhere in a line of the L2 cache. A row is written together
//   with the zeros before it, from a line's begin to a line's end (rows.cuh): the places where one run of
//   stores ends and another begins lie in zeros, where it does not matter which of the two a word belongs to.
// - Order. Neighbouring blocks take neighbouring rows of the same 16 channels and go on together
//   (make_rows.cuh): what is written at any time are 16 runs of memory, not thousands.
// - Products of a warp on tensor cores at fp32 accuracy (row_products.cuh): 16 output channels by 8
//   columns, the weights in registers for as long as the block lives, the input straight from rows in shared
//   memory. x is hi + lo, hi what tf32 keeps of it; hi * hi is a product of tf32, and both small ones are one
//   of bfloat16. 30 products make 768 outputs, and all instructions are 5 for each 32 outputs.
// - The input of three rows to come is on its way while a row is computed.
// other_shapes.cuh has what is right for any shape. An input that is not finite makes NaN of all that its
// columns' products reach, taps that are not there included.
//
// It takes 0.285 ms on an H200. One that stores in this order and computes nothing takes 0.20 ms there, and
// 0.24 ms when it reads these rows of the input as well (docs/kernels.md).
#include "make_rows.cuh"
#include "other_shapes.cuh"

extern "C" void solution(const float* input, const float* kernel, float* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w,
                         size_t dilation_h, size_t dilation_w, size_t groups) {
  rows::Shape shape = {};
  const bool by_rows = rows::shape_of(shape, in_channels, out_channels, height, width, kernel_h, kernel_w,
                                      stride_h, stride_w, padding_h, padding_w, output_padding_h,
                                      output_padding_w, dilation_h, dilation_w, groups);
  if (by_rows && rows::solve(input, kernel, output, batch_size, shape)) return;
  other_shapes::solve(input, kernel, output, batch_size, in_channels, out_channels, height, width, kernel_h,
                      kernel_w, stride_h, stride_w, padding_h, padding_w, output_padding_h, output_padding_w,
                      dilation_h, dilation_w, groups);
}
