// The position of a thread in its block and its grid.
//
// Each host thread has its own copy, which the scheduler sets before a thread of the block goes on. They are
// variables, as in CUDA, so that code may declare its own with the same names.
#pragma once

#include "vector_types.h"

// Constant-initialised, so that no access has to check whether they are initialised.
#if defined(__cpp_constinit)
#define KGRADE_EMULATED_CONSTINIT constinit thread_local
#elif defined(__clang__)
#define KGRADE_EMULATED_CONSTINIT __thread
#else
#define KGRADE_EMULATED_CONSTINIT __constinit thread_local  // g++ has it in C++17 too
#endif
#define KGRADE_EMULATED_THREAD_LOCAL \
  extern KGRADE_EMULATED_CONSTINIT __attribute__((tls_model("initial-exec")))

KGRADE_EMULATED_THREAD_LOCAL uint3 threadIdx;
KGRADE_EMULATED_THREAD_LOCAL uint3 blockIdx;
KGRADE_EMULATED_THREAD_LOCAL dim3 blockDim;
KGRADE_EMULATED_THREAD_LOCAL dim3 gridDim;

inline constexpr int warpSize = 32;
