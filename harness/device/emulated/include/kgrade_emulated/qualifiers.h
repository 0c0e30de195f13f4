// CUDA's qualifiers. Where code runs and where a variable lives makes no difference on the host. __shared__
// is rewritten before the compiler sees it. Only a __shared__ that a macro hides uses the definition below,
// which shares the variable between the threads of a block because a block runs on one thread of the host.
#pragma once

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __block_size__(...)
// Left to the compiler: GCC refuses a function that must be inlined and cannot be, such as one that calls
// itself. `inline` would be an error where a submission writes it too.
#define __forceinline__
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __builtin_align__(...) __attribute__((aligned(__VA_ARGS__)))
#define CUDARTAPI
#define CUDART_CB
#define CUDART_VERSION 13000
#define CUDA_RT_INLINE inline

// The macros that nvcc defines for every source. __CUDA_ARCH__ is not defined: the rewriter answers the
// conditions on it around device code (harness/device/emulated/rewriter/directives.h), and other conditions
// get the host's view.
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
