// __half and __half2 (Math API manual, "Half Precision Intrinsics"): values are rounded after every
// operation, as on a GPU.
#pragma once

#define __CUDA_FP16_H__
#define __CUDA_FP16_HPP__
#define __CUDA_FP16_TYPES_EXIST__

#define KGRADE_NUMBER __half
#define KGRADE_NUMBER_RAW __half_raw
#define KGRADE_PAIR __half2
#define KGRADE_PAIR_RAW __half2_raw
#define KGRADE_OTHER_NUMBER __nv_bfloat16
#define KGRADE_FORMAT kgrade_emulated::Binary16
#define KGRADE_NAMED(a, b) a##half##b
#define KGRADE_NAMED_TWICE(a, b, c) a##half##b##half##c
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define KGRADE_HAS_CONVERSIONS 0
#else
#define KGRADE_HAS_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define KGRADE_HAS_OPERATORS 0
#else
#define KGRADE_HAS_OPERATORS 1
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define KGRADE_HAS_PAIR_OPERATORS 0
#else
#define KGRADE_HAS_PAIR_OPERATORS 1
#endif
#include "kgrade_emulated/low_precision.h"

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
