// The two number types of the references.
//
// The harness builds each reference twice from one source: with KGRADE_ACCUMULATOR=double it is the oracle,
// from which the expected output comes, with KGRADE_ACCUMULATOR=float the reference that speedups are
// reported against. Every product and sum is made in `accumulator`, and so is every intermediate tensor;
// `element` is what inputs and outputs are stored in. For a 16-bit type the
// reference reads and writes that type; the oracle reads the same values as float and writes float, so that
// the expected output is not rounded to 16 bits.
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

#ifndef KGRADE_ACCUMULATOR
#define KGRADE_ACCUMULATOR float
#endif
#ifndef KGRADE_ELEMENT
#define KGRADE_ELEMENT float
#endif

namespace ops {

using accumulator = KGRADE_ACCUMULATOR;
using element = KGRADE_ELEMENT;

}  // namespace ops
