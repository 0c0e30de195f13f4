// The matrix products whose rates are measured, and their operands.
#pragma once

#include <cstdint>

namespace kgrade::cuda {

// Operands are numbers of either sign between 2^-10 and 2^-9, so that no sum leaves the range of its type.
// All other bits vary, as in real data. In a 32-bit word, `fixed` is the value of the bits that do not vary,
// and `varied` marks the bits that vary (for tf32 only bits that tf32 has).
struct Tf32Operands {
  static constexpr std::uint32_t fixed = 0x3a800000;
  static constexpr std::uint32_t varied = 0x807fe000;
};
struct Fp16Operands {
  static constexpr std::uint32_t fixed = 0x14001400;
  static constexpr std::uint32_t varied = 0x83ff83ff;
};
struct Bf16Operands {
  static constexpr std::uint32_t fixed = 0x3a803a80;
  static constexpr std::uint32_t varied = 0x807f807f;
};

// Word number `index`. The mixing is MurmurHash3's finalizer.
template <class Operands>
__device__ std::uint32_t operand_word(std::uint32_t index) {
  std::uint32_t bits = index + 1;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bU;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35U;
  return Operands::fixed | ((bits ^ (bits >> 16)) & Operands::varied);
}

// Products of one warp (PTX ISA, "mma.sync"). Products with 32-bit sums work from sm_80 on, and products of
// doubles from sm_80 or sm_90 on. On older devices, accumulate() does nothing.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KGRADE_FROM_AMPERE(...) __VA_ARGS__
#else
#define KGRADE_FROM_AMPERE(...)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KGRADE_FROM_HOPPER(...) __VA_ARGS__
#else
#define KGRADE_FROM_HOPPER(...)
#endif

// A product of a warp has 16 x 8 sums, and a row of an operand has 32 bytes: 8 words of tf32 or 16 halves.
template <class Operands>
struct SingleWarp {
  using Operand = std::uint32_t;
  using Sum = float;
  static constexpr int a_registers = 4;
  static constexpr int b_registers = 2;
  static constexpr int sum_registers = 4;
  static __device__ Operand operand(std::uint32_t index) { return operand_word<Operands>(index); }
};

#define KGRADE_WARP_PRODUCT(shape_and_types)                                                         \
  KGRADE_FROM_AMPERE(asm volatile("mma.sync.aligned." shape_and_types                                \
                                  " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                                  : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])       \
                                  : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])))

struct Tf32Warp : SingleWarp<Tf32Operands> {
  static constexpr double flops = 2.0 * 16 * 8 * 8;
  static __device__ void accumulate(Sum* sums, const Operand* a, const Operand* b) {
    KGRADE_WARP_PRODUCT("m16n8k8.row.col.f32.tf32.tf32.f32");
  }
};

struct Fp16Warp : SingleWarp<Fp16Operands> {
  static constexpr double flops = 2.0 * 16 * 8 * 16;
  static __device__ void accumulate(Sum* sums, const Operand* a, const Operand* b) {
    KGRADE_WARP_PRODUCT("m16n8k16.row.col.f32.f16.f16.f32");
  }
};

struct Bf16Warp : SingleWarp<Bf16Operands> {
  static constexpr double flops = 2.0 * 16 * 8 * 16;
  static __device__ void accumulate(Sum* sums, const Operand* a, const Operand* b) {
    KGRADE_WARP_PRODUCT("m16n8k16.row.col.f32.bf16.bf16.f32");
  }
};

struct DoubleWarp {
  using Operand = double;
  using Sum = double;
  static __device__ Operand operand(std::uint32_t index) {
    return static_cast<double>(__uint_as_float(operand_word<Tf32Operands>(index)));
  }
};

struct SmallDoubleWarp : DoubleWarp {
  static constexpr double flops = 2.0 * 8 * 8 * 4;
  static constexpr int a_registers = 1;
  static constexpr int b_registers = 1;
  static constexpr int sum_registers = 2;
  static __device__ void accumulate(Sum* sums, const Operand* a, const Operand* b) {
    KGRADE_FROM_AMPERE(
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
                     "{%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[0]), "+d"(sums[1])
                     : "d"(a[0]), "d"(b[0])));
  }
};

struct LargeDoubleWarp : DoubleWarp {
  static constexpr double flops = 2.0 * 16 * 8 * 16;
  static constexpr int a_registers = 8;
  static constexpr int b_registers = 4;
  static constexpr int sum_registers = 4;
  static __device__ void accumulate(Sum* sums, const Operand* a, const Operand* b) {
    KGRADE_FROM_HOPPER(asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
          "d"(b[1]), "d"(b[2]), "d"(b[3])));
  }
};

// Products of a warpgroup on Hopper (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"): a product
// has 64 x 256 sums, and both operands are in shared memory. These instructions assemble only for sm_90a.

constexpr int sums_of_a_thread = 128;  // 64 x 256 over 128 threads

#define KGRADE_FOUR_SUMS(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define KGRADE_SIXTEEN_SUMS(i) \
  KGRADE_FOUR_SUMS(i), KGRADE_FOUR_SUMS(i + 4), KGRADE_FOUR_SUMS(i + 8), KGRADE_FOUR_SUMS(i + 12)
#define KGRADE_ALL_SUMS                                                                              \
  KGRADE_SIXTEEN_SUMS(0), KGRADE_SIXTEEN_SUMS(16), KGRADE_SIXTEEN_SUMS(32), KGRADE_SIXTEEN_SUMS(48), \
      KGRADE_SIXTEEN_SUMS(64), KGRADE_SIXTEEN_SUMS(80), KGRADE_SIXTEEN_SUMS(96), KGRADE_SIXTEEN_SUMS(112)

// Computes sums += a b for a shape and types as in "m64n256k8.f32.tf32.tf32". `end` has the additional
// arguments of 16-bit operands, which say whether an operand is transposed.
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
