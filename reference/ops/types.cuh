// The two number types of the references.
//
// The harness builds each reference twice from one source: with KGRADE_ACCUMULATOR=double it is the oracle,
// which computes the expected output; with KGRADE_ACCUMULATOR=float it is the reference for speedups. Every
// product, sum and intermediate tensor is an `accumulator`; `element` is the type of inputs and outputs. For
// a 16-bit type, the reference reads and writes that type. The oracle reads the same values as float and
// writes float, so the expected output is not rounded to 16 bits. An output that always has 16 bits has the
// type `written<__half>`, which is also float in the oracle.
#pragma once

#include <cuda_runtime.h>
#ifdef KGRADE_FLOAT16
#include <cuda_fp16.h>
#endif
#ifdef KGRADE_BFLOAT16
#include <cuda_bf16.h>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifndef KGRADE_ACCUMULATOR
#define KGRADE_ACCUMULATOR float
#endif
#ifndef KGRADE_ELEMENT
#define KGRADE_ELEMENT float
#endif

namespace ops {

using accumulator = KGRADE_ACCUMULATOR;
using element = KGRADE_ELEMENT;

template <class Type>
using written = std::conditional_t<std::is_same_v<accumulator, double>, float, Type>;

}  // namespace ops
