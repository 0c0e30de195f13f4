// The two number types of the references.
//
// The harness builds each reference twice from one source: with KGRADE_ACCUMULATOR=double it is the oracle,
// from which the expected output comes, with KGRADE_ACCUMULATOR=float the reference that speedups are
// reported against. Every product and sum is made in `accumulator`, and so is every intermediate tensor;
// `element` is what inputs and outputs are stored in.
#pragma once

#include <cuda_runtime.h>

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
