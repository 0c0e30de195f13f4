// Matrix products of one warp (PTX ISA, "mma.sync"): those with 32-bit sums from sm_80 on, those of doubles
// from sm_80 and sm_90 on. Elsewhere accumulate() does nothing.
#pragma once

#include <cstdint>

#include "device/cuda/operand_values.cuh"

namespace kgrade::cuda {

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

// 16 x 8 sums, and 128 bytes of an operand's row: 8 words of tf32 or 16 halves.
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

}  // namespace kgrade::cuda
