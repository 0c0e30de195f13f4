// Hopper's asynchronous products of a warpgroup and what feeds them (PTX ISA: "Asynchronous Warpgroup Level
// Matrix Instructions", "mbarrier", "cp.async.bulk"). Each instruction is one function. Where sm_90a's
// instructions are missing, a twin does the same to shared memory and registers by ordinary means: it decodes
// the same descriptors and leaves the same sums in the same registers.
//
// Both operands lie in shared memory, K-major and without a swizzle: a core matrix is 8 rows of 16 bytes (8
// halves along K), 128 bytes in a piece. A row further is 16 bytes further, which a descriptor counts as 1.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/barrier>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define ON_HOPPER 1
#else
#define ON_HOPPER 0
#endif

// ---- Barriers of shared memory, and copies that arrive at them.

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// An address of shared memory as instructions take it. The twins count from the block's dynamic memory.
__device__ inline std::uint32_t shared_address(const void* pointer) {
#if ON_HOPPER
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
#else
  extern __shared__ uint4 shared[];
  return static_cast<std::uint32_t>(static_cast<const char*>(pointer) - reinterpret_cast<char*>(shared));
#endif
}

// By one thread; then fence_barriers() and __syncthreads().
__device__ inline void start_barrier(Barrier* barrier, unsigned arrivals) {
#if ON_HOPPER
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
#else
  init(barrier, static_cast<std::ptrdiff_t>(arrivals));
#endif
}

__device__ inline void fence_barriers() {
#if ON_HOPPER
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ inline void arrive(Barrier* barrier) {
#if ON_HOPPER
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#else
  __threadfence_block();
  (void)barrier->arrive();
#endif
}

// Waits for the end of the barrier's phase number `phase` (counted from 0; its parity is what matters). A
// barrier that has not ended any phase yet counts as one that has ended phase -1.
__device__ inline void wait(Barrier* barrier, unsigned phase) {
#if ON_HOPPER
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra done;\n"
      "bra again;\n"
      "done:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(phase & 1)
      : "memory");
#else
  barrier->wait_parity((phase & 1) != 0);
#endif
}

// The caller's arrival, once `bytes` have been copied by its `start_copy`s (before or after this).
__device__ inline void arrive_after(Barrier* barrier, std::uint32_t bytes) {
#if ON_HOPPER
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
#else
  (void)bytes;
  __threadfence_block();
  (void)barrier->arrive();
#endif
}

// A contiguous copy, of a multiple of 16 bytes between addresses that are such. By all `threads` of a group
// (`rank` is the caller's), of which the first does it on Hopper; the twin is over when it returns.
__device__ inline void start_copy(void* target, const void* source, std::uint32_t bytes, Barrier* barrier,
                                  int rank, int threads) {
#if ON_HOPPER
  (void)threads;
  if (rank == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(target)),
        "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
  }
#else
  (void)barrier;
  for (std::uint32_t i = rank; i < bytes / 16; i += threads) {
    static_cast<uint4*>(target)[i] = static_cast<const uint4*>(source)[i];
  }
#endif
}

// What the caller has stored in shared memory becomes visible to products of warpgroups that come after the
// next barrier.
__device__ inline void fence_for_products() {
#if ON_HOPPER
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// ---- Registers that a warpgroup gives back or takes over. All its warps run it.

template <int registers>
__device__ void give_registers_back() {
#if ON_HOPPER
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
#endif
}
template <int registers>
__device__ void take_registers() {
#if ON_HOPPER
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
#endif
}

// ---- Products.

// An operand: `along_k` bytes from 8 columns of K to the next 8, `along_rows` bytes from 8 rows to the
// next 8. Adding n to it moves it by 16 n bytes.
__device__ inline std::uint64_t operand_at(const void* pointer, std::uint32_t along_k,
                                           std::uint32_t along_rows) {
  return static_cast<std::uint64_t>((shared_address(pointer) & 0x3FFFF) >> 4) |
         static_cast<std::uint64_t>(along_k >> 4) << 16 | static_cast<std::uint64_t>(along_rows >> 4) << 32;
}

// Before the first product, and after other instructions have touched the sums.
__device__ inline void begin_products() {
#if ON_HOPPER
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
// Puts the products since the last call into a group.
__device__ inline void commit_products() {
#if ON_HOPPER
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
// Waits until at most `groups` are under way.
template <int groups>
__device__ void wait_for_products() {
#if ON_HOPPER
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
#endif
}

// After a wait, before anything else reads the sums: it keeps the compiler from reading them earlier.
template <int count>
__device__ void use_sums([[maybe_unused]] float (&sums)[count]) {
#if ON_HOPPER
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
#endif
}

// sums += a b, for a of 64 x 16 and b of 16 x columns halves. Lane l of warp w has, in sums[4 j + 2 r + c],
// row 16 w + 8 r + l / 4 and column 8 j + 2 (l % 4) + c.
template <int columns>
__device__ void add_product(float (&sums)[columns / 2], std::uint64_t a, std::uint64_t b);

#if ON_HOPPER

#define SUMS_4(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
#define SUMS_64(i) SUMS_16(i), SUMS_16(i + 16), SUMS_16(i + 32), SUMS_16(i + 48)
#define PLACES_0_31                                                             \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, " \
  "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define PLACES_32_35 "%32, %33, %34, %35"
#define PLACES_36_63                                                       \
  "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, " \
  "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define PLACES_0_63 PLACES_0_31 ", " PLACES_32_35 ", " PLACES_36_63
#define PLACES_64_71 "%64, %65, %66, %67, %68, %69, %70, %71"
#define PLACES_72_91                                   \
  "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, " \
  "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91"
#define PLACES_64_91 PLACES_64_71 ", " PLACES_72_91
#define PLACES_92_127                                                                    \
  "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, "   \
  "%107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, " \
  "%121, %122, %123, %124, %125, %126, %127"

#define ADD_PRODUCT(columns, places, a_place, b_place, ...)                                                  \
  template <>                                                                                                \
  __device__ inline void add_product<columns>(float(&sums)[columns / 2], std::uint64_t a, std::uint64_t b) { \
    asm volatile(                                                                                            \
        "{\n"                                                                                                \
        ".reg .pred add;\n"                                                                                  \
        "setp.eq.u32 add, 1, 1;\n"                                                                           \
        "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" places "}, %" #a_place              \
        ", %" #b_place                                                                                       \
        ", add, 1, 1, 0, 0;\n"                                                                               \
        "}\n"                                                                                                \
        : __VA_ARGS__                                                                                        \
        : "l"(a), "l"(b));                                                                                   \
  }

ADD_PRODUCT(64, PLACES_0_31, 32, 33, SUMS_16(0), SUMS_16(16))
ADD_PRODUCT(72, PLACES_0_31 ", " PLACES_32_35, 36, 37, SUMS_16(0), SUMS_16(16), SUMS_4(32))
ADD_PRODUCT(128, PLACES_0_63, 64, 65, SUMS_64(0))
ADD_PRODUCT(144, PLACES_0_63 ", " PLACES_64_71, 72, 73, SUMS_64(0), SUMS_4(64), SUMS_4(68))
ADD_PRODUCT(184, PLACES_0_63 ", " PLACES_64_91, 92, 93, SUMS_64(0), SUMS_16(64), SUMS_4(80), SUMS_4(84),
            SUMS_4(88))
ADD_PRODUCT(256, PLACES_0_63 ", " PLACES_64_91 ", " PLACES_92_127, 128, 129, SUMS_64(0), SUMS_64(64))

#else

// A value of an operand in shared memory.
__device__ inline float value_of(std::uint64_t operand, int row, int k) {
  extern __shared__ uint4 shared[];
  const std::uint32_t address = (operand & 0x3FFF) << 4, along_k = (operand >> 16 & 0x3FFF) << 4,
                      along_rows = (operand >> 32 & 0x3FFF) << 4;
  const char* value = reinterpret_cast<const char*>(shared) + address + row / 8 * along_rows +
                      k / 8 * along_k + row % 8 * 16 + k % 8 * 2;
  return __half2float(*reinterpret_cast<const __half*>(value));
}

template <int columns>
__device__ void add_product(float (&sums)[columns / 2], std::uint64_t a, std::uint64_t b) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
  for (int k = 0; k < 16; ++k) {
    const float upper = value_of(a, row, k), lower = value_of(a, row + 8, k);
    if (upper == 0.0f && lower == 0.0f) continue;  // padding: quicker without
#pragma unroll
    for (int j = 0; j < columns / 8; ++j) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const float value = value_of(b, 8 * j + lane % 4 * 2 + c, k);
        sums[4 * j + c] += upper * value;
        sums[4 * j + 2 + c] += lower * value;
      }
    }
  }
}

#endif
