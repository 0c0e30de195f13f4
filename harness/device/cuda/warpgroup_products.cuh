// Matrix products of a warpgroup on Hopper (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"):
// 64 x 256 sums of a warpgroup, both operands in shared memory. They assemble for sm_90a alone.
#pragma once

#include <cstdint>

#include "device/cuda/operand_values.cuh"

namespace kgrade::cuda {

constexpr int sums_of_a_thread = 128;  // 64 x 256 over 128 threads

#define KGRADE_FOUR_SUMS(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define KGRADE_SIXTEEN_SUMS(i) \
  KGRADE_FOUR_SUMS(i), KGRADE_FOUR_SUMS(i + 4), KGRADE_FOUR_SUMS(i + 8), KGRADE_FOUR_SUMS(i + 12)
#define KGRADE_ALL_SUMS                                                                              \
  KGRADE_SIXTEEN_SUMS(0), KGRADE_SIXTEEN_SUMS(16), KGRADE_SIXTEEN_SUMS(32), KGRADE_SIXTEEN_SUMS(48), \
      KGRADE_SIXTEEN_SUMS(64), KGRADE_SIXTEEN_SUMS(80), KGRADE_SIXTEEN_SUMS(96), KGRADE_SIXTEEN_SUMS(112)

// sums += a b, for a shape and types as in "m64n256k8.f32.tf32.tf32"; the end is what 16-bit operands have
// besides: which of them are transposed.
#define KGRADE_WARPGROUP_PRODUCT(shape_and_types, end)                                       \
  asm volatile(                                                                              \
      "{\n"                                                                                  \
      ".reg .pred add;\n"                                                                    \
      "setp.eq.u32 add, 1, 1;\n"                                                             \
      "wgmma.mma_async.sync.aligned." shape_and_types                                        \
      " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "             \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "     \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "     \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "     \
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "     \
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "     \
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "     \
      "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, " \
      "%124, %125, %126, %127}, %128, %129, add, 1, 1" end                                   \
      ";\n"                                                                                  \
      "}\n"                                                                                  \
      : KGRADE_ALL_SUMS                                                                      \
      : "l"(a), "l"(b))

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KGRADE_ON_HOPPER(...) __VA_ARGS__
#else
#define KGRADE_ON_HOPPER(...)
#endif

using Sums = float[sums_of_a_thread];

struct Tf32Warpgroup {
  using Operands = Tf32Operands;
  static constexpr double flops = 2.0 * 64 * 256 * 8;
  static __device__ void accumulate([[maybe_unused]] Sums& sums, [[maybe_unused]] std::uint64_t a,
                                    [[maybe_unused]] std::uint64_t b) {
    KGRADE_ON_HOPPER(KGRADE_WARPGROUP_PRODUCT("m64n256k8.f32.tf32.tf32", ""));
  }
};

struct Fp16Warpgroup {
  using Operands = Fp16Operands;
  static constexpr double flops = 2.0 * 64 * 256 * 16;
  static __device__ void accumulate([[maybe_unused]] Sums& sums, [[maybe_unused]] std::uint64_t a,
                                    [[maybe_unused]] std::uint64_t b) {
    KGRADE_ON_HOPPER(KGRADE_WARPGROUP_PRODUCT("m64n256k16.f32.f16.f16", ", 0, 0"));
  }
};

struct Bf16Warpgroup {
  using Operands = Bf16Operands;
  static constexpr double flops = 2.0 * 64 * 256 * 16;
  static __device__ void accumulate([[maybe_unused]] Sums& sums, [[maybe_unused]] std::uint64_t a,
                                    [[maybe_unused]] std::uint64_t b) {
    KGRADE_ON_HOPPER(KGRADE_WARPGROUP_PRODUCT("m64n256k16.f32.bf16.bf16", ", 0, 0"));
  }
};

}  // namespace kgrade::cuda
