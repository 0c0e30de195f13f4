// Operands of products: values as halves, x = hi + lo with hi = fp16(x) and lo = fp16(x - hi), and their
// places in shared memory.
#pragma once

#include "shape.cuh"
#include "wgmma.cuh"

const int chunk = 16;                                      // input channels of a product
const float input_scale = 256.0f, weight_scale = 4096.0f;  // powers of two: exact; `lo` then has all its bits

__device__ inline unsigned bits_of(__half2 pair) { return *reinterpret_cast<const unsigned*>(&pair); }

// 8 values as `hi`, and what is left of them as `lo`. `seen.fits` turns false where one is too large, or NaN.
template <int halves>
__device__ void split(const float (&values)[8], float scale, uint4* hi, uint4* lo, Seen& seen) {
  unsigned packed[2][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float a = values[2 * i] * scale, b = values[2 * i + 1] * scale;
    seen.fits = seen.fits && fabsf(a) < 65504.0f && fabsf(b) < 65504.0f;
    const __half2 pair = __floats2half2_rn(a, b);
    const float2 back = __half22float2(pair);
    packed[0][i] = bits_of(pair);
    seen.add(packed[0][i]);
    packed[1][i] = bits_of(__floats2half2_rn(a - back.x, b - back.y));
  }
  *hi = make_uint4(packed[0][0], packed[0][1], packed[0][2], packed[0][3]);
  if (halves == 2) *lo = make_uint4(packed[1][0], packed[1][1], packed[1][2], packed[1][3]);
}

// An operand's place in shared memory, as instructions describe it (operand_at in wgmma.cuh); distances are
// in units of 16 bytes. From 8 rows to the next 8 there are 8 units, from 8 columns of K to the next 8
// `along_k`. What differs between the operands of a kernel is in the lower 32 bits, so that moving is one
// addition.
struct Operand {
  std::uint32_t low;
  __device__ Operand(const uint4* pointer, int along_k)
      : low((shared_address(pointer) & 0x3FFFF) >> 4 | static_cast<std::uint32_t>(along_k) << 16) {}
  __device__ void move(int distance) { low += distance; }
  __device__ Operand moved(int distance) const {
    Operand result = *this;
    result.move(distance);
    return result;
  }
  __device__ std::uint64_t at(int distance) const {
    return static_cast<std::uint64_t>(8) << 32 | (low + distance);
  }
};
