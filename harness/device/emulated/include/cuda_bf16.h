// __nv_bfloat16 and __nv_bfloat162 (Math API manual, "Bfloat16 Precision Intrinsics"): values are rounded
// after every operation, as on a GPU.
#pragma once

#include "cuda_fp16.h"

#define __CUDA_BF16_H__
#define __CUDA_BF16_HPP__
#define __CUDA_BF16_TYPES_EXIST__

#define KGRADE_NUMBER __nv_bfloat16
#define KGRADE_NUMBER_RAW __nv_bfloat16_raw
#define KGRADE_PAIR __nv_bfloat162
#define KGRADE_PAIR_RAW __nv_bfloat162_raw
#define KGRADE_OTHER_NUMBER __half
#define KGRADE_FORMAT kgrade_emulated::BFloat16
#define KGRADE_NAMED(a, b) a##bfloat16##b
#define KGRADE_NAMED_TWICE(a, b, c) a##bfloat16##b##bfloat16##c
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define KGRADE_HAS_CONVERSIONS 0
#else
#define KGRADE_HAS_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define KGRADE_HAS_OPERATORS 0
#else
#define KGRADE_HAS_OPERATORS 1
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define KGRADE_HAS_PAIR_OPERATORS 0
#else
#define KGRADE_HAS_PAIR_OPERATORS 1
#endif
#include "kgrade_emulated/low_precision.h"

#ifndef __CUDA_NO_HALF_CONVERSIONS__
inline __half::__half(__nv_bfloat16 x) : bits_(Format::from_float(__bfloat162float(x))) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
inline __nv_bfloat16::__nv_bfloat16(__half x) : bits_(Format::from_float(__half2float(x))) {}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
