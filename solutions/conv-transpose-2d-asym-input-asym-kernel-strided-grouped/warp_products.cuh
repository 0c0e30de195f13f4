// Products of a warp on tensor cores, D += A * B with fragments in registers (PTX ISA, mma.m16n8k8 and
// mma.m16n8k16), with twins out of shuffles where there is no inline PTX.
//
// Lane l has, with g = l / 4 and t = l % 4: of D the rows g (elements 0, 1) and g + 8 (2, 3), columns 2t and
// 2t + 1. Of A and B for tf32: A rows g, g + 8, g, g + 8 at k = t, t, t + 4, t + 4; B column g at k = t, t
// + 4. For bfloat16, of which a register has two: the same rows at k = 2t, 2t + 1 and 2t + 8, 2t + 9.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

__device__ inline unsigned bits_of(float x) { return __float_as_uint(x); }

// The part of x that tf32 keeps; x minus it is exact.
__device__ inline float tf32_part(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

// k = 8, tf32.
__device__ inline void multiply_tf32(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  const unsigned all = 0xffffffffu;
  const int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
  for (int k = 0; k < 8; ++k) {
    const int own = row * 4 + k % 4, left = column * 4 + k % 4, right = left + 4;
    const float upper = tf32_part(__uint_as_float(__shfl_sync(all, a[k / 4 * 2], own)));
    const float lower = tf32_part(__uint_as_float(__shfl_sync(all, a[k / 4 * 2 + 1], own)));
    const float at_left = tf32_part(__uint_as_float(__shfl_sync(all, k < 4 ? b0 : b1, left)));
    const float at_right = tf32_part(__uint_as_float(__shfl_sync(all, k < 4 ? b0 : b1, right)));
    d[0] += upper * at_left;
    d[1] += upper * at_right;
    d[2] += lower * at_left;
    d[3] += lower * at_right;
  }
#endif
}

// a and b rounded to bfloat16, a in the lower half.
__device__ inline unsigned bfloat_pair(float a, float b) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// k = 16, bfloat16.
__device__ inline void multiply_bfloats(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  const unsigned all = 0xffffffffu;
  const int lane = threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
  const auto value_of = [](unsigned word, int k) {
    return __uint_as_float(k % 2 == 0 ? word << 16 : word & 0xffff0000u);
  };
  for (int k = 0; k < 16; ++k) {
    const int pair = k % 8 / 2, own = row * 4 + pair, left = column * 4 + pair;
    const float upper = value_of(__shfl_sync(all, a[k / 8 * 2], own), k);
    const float lower = value_of(__shfl_sync(all, a[k / 8 * 2 + 1], own), k);
    const float at_left = value_of(__shfl_sync(all, k < 8 ? b0 : b1, left), k);
    const float at_right = value_of(__shfl_sync(all, k < 8 ? b0 : b1, left + 4), k);
    d[0] += upper * at_left;
    d[1] += upper * at_right;
    d[2] += lower * at_left;
    d[3] += lower * at_right;
  }
#endif
}
