// The types of 8 bits: __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8_e8m0, their vectors of two and four, and the
// conversions between their codes and wider types (Math API manual, "FP8 Intrinsics").
#pragma once

#include "cuda_bf16.h"
#include "kgrade_emulated/low_precision_fp8.h"

#define __CUDA_FP8_H__
#define __CUDA_FP8_HPP__
#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Structs of their own, since programs declare them.
#define KGRADE_FP8(suffix, codec)                                               \
  struct __nv_fp8_##suffix : kgrade_emulated::Fp8<kgrade_emulated::codec> {     \
    using Fp8::Fp8;                                                             \
  };                                                                            \
  struct __nv_fp8x2_##suffix : kgrade_emulated::Fp8x2<kgrade_emulated::codec> { \
    using Fp8x2::Fp8x2;                                                         \
  };                                                                            \
  struct __nv_fp8x4_##suffix : kgrade_emulated::Fp8x4<kgrade_emulated::codec> { \
    using Fp8x4::Fp8x4;                                                         \
  };
KGRADE_FP8(e4m3, E4M3)
KGRADE_FP8(e5m2, E5M2)
KGRADE_FP8(e8m0, E8M0)
#undef KGRADE_FP8

constexpr __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t interpretation) {
  const bool saturates = saturation == __NV_SATFINITE;
  return interpretation == __NV_E4M3 ? kgrade_emulated::E4M3::encode(x, saturates)
                                     : kgrade_emulated::E5M2::encode(x, saturates);
}

#define KGRADE_TO_FP8(name, type, widened)                                                                \
  constexpr __nv_fp8_storage_t name(type x, __nv_saturation_t saturation,                                 \
                                    __nv_fp8_interpretation_t interpretation) {                           \
    return __nv_cvt_double_to_fp8(kgrade_emulated::widen_canonical(widened), saturation, interpretation); \
  }
#define KGRADE_TO_FP8X2(name, type, scalar_name, scalar_type)                                            \
  constexpr __nv_fp8x2_storage_t name(type v, __nv_saturation_t saturation,                              \
                                      __nv_fp8_interpretation_t interpretation) {                        \
    return static_cast<__nv_fp8x2_storage_t>(scalar_name(scalar_type{v.x}, saturation, interpretation) | \
                                             scalar_name(scalar_type{v.y}, saturation, interpretation)   \
                                                 << 8);                                                  \
  }
KGRADE_TO_FP8(__nv_cvt_float_to_fp8, float, x)
KGRADE_TO_FP8(__nv_cvt_halfraw_to_fp8, __half_raw, kgrade_emulated::Binary16::to_float(x.x))
KGRADE_TO_FP8(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, kgrade_emulated::BFloat16::to_float(x.x))
KGRADE_TO_FP8X2(__nv_cvt_double2_to_fp8x2, double2, __nv_cvt_double_to_fp8, double)
KGRADE_TO_FP8X2(__nv_cvt_float2_to_fp8x2, float2, __nv_cvt_float_to_fp8, float)
KGRADE_TO_FP8X2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __nv_cvt_halfraw_to_fp8, __half_raw)
KGRADE_TO_FP8X2(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __nv_cvt_bfloat16raw_to_fp8,
                __nv_bfloat16_raw)
#undef KGRADE_TO_FP8X2
#undef KGRADE_TO_FP8

constexpr __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t interpretation) {
  return {interpretation == __NV_E4M3 ? kgrade_emulated::E4M3::decode_to_half(x)
                                      : kgrade_emulated::E5M2::decode_to_half(x)};
}
constexpr __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t interpretation) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), interpretation).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), interpretation).x};
}

// Rounds to zero or up, as `rounding` is cudaRoundZero or cudaRoundPosInf.
#define KGRADE_TO_E8M0(name, pair_name, type, pair_type, widened)                                   \
  constexpr __nv_fp8_storage_t name(type x, __nv_saturation_t saturation, cudaRoundMode rounding) { \
    return kgrade_emulated::E8M0::encode(widened, saturation == __NV_SATFINITE,                     \
                                         rounding == cudaRoundPosInf);                              \
  }                                                                                                 \
  constexpr __nv_fp8x2_storage_t pair_name(pair_type v, __nv_saturation_t saturation,               \
                                           cudaRoundMode rounding) {                                \
    return static_cast<__nv_fp8x2_storage_t>(name(type{v.x}, saturation, rounding) |                \
                                             name(type{v.y}, saturation, rounding) << 8);           \
  }
KGRADE_TO_E8M0(__nv_cvt_double_to_e8m0, __nv_cvt_double2_to_e8m0x2, double, double2, x)
KGRADE_TO_E8M0(__nv_cvt_float_to_e8m0, __nv_cvt_float2_to_e8m0x2, float, float2, x)
KGRADE_TO_E8M0(__nv_cvt_bfloat16raw_to_e8m0, __nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat16_raw,
               __nv_bfloat162_raw, kgrade_emulated::BFloat16::to_float(x.x))
#undef KGRADE_TO_E8M0

constexpr __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return {kgrade_emulated::E8M0::decode_to_bfloat16(x)};
}
constexpr __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return {kgrade_emulated::E8M0::decode_to_bfloat16(static_cast<__nv_fp8_storage_t>(x)),
          kgrade_emulated::E8M0::decode_to_bfloat16(static_cast<__nv_fp8_storage_t>(x >> 8))};
}
