// All of one type of 16 bits and its pairs. Included once for each, without a guard, with these macros, which
// it takes back:
//   KGRADE_NUMBER, KGRADE_NUMBER_RAW             __half, __half_raw
//   KGRADE_PAIR, KGRADE_PAIR_RAW                 __half2, __half2_raw
//   KGRADE_OTHER_NUMBER                          __nv_bfloat16, which converts explicitly
//   KGRADE_FORMAT                                low_precision_rounding.h
//   KGRADE_NAMED(a, b)                           a##half##b: how functions are called
//   KGRADE_NAMED_TWICE(a, b, c)                  a##half##b##half##c
//   KGRADE_HAS_CONVERSIONS, KGRADE_HAS_OPERATORS, KGRADE_HAS_PAIR_OPERATORS
//                                                0 where __CUDA_NO_... is defined

// Each needs those before it.
// clang-format off
#include "cuda_runtime.h"
#include "kgrade_emulated/low_precision_values.h"
#include "kgrade_emulated/low_precision_type.h"
#include "kgrade_emulated/low_precision_conversions.h"
#include "kgrade_emulated/low_precision_arithmetic.h"
#include "kgrade_emulated/low_precision_functions.h"
// clang-format on

#undef KGRADE_NUMBER
#undef KGRADE_NUMBER_RAW
#undef KGRADE_PAIR
#undef KGRADE_PAIR_RAW
#undef KGRADE_OTHER_NUMBER
#undef KGRADE_FORMAT
#undef KGRADE_NAMED
#undef KGRADE_NAMED_TWICE
#undef KGRADE_HAS_CONVERSIONS
#undef KGRADE_HAS_OPERATORS
#undef KGRADE_HAS_PAIR_OPERATORS
