// Each atomic function on each of its types, by many threads at one address.
#include "device_map.h"

namespace {

using Unsigned = unsigned int;
using Short = unsigned short;
using Long = long long;
using UnsignedLong = unsigned long long;
constexpr int blocks = 16, threads = 128, total = blocks * threads;

// What `update` leaves at an address that begins with `start`, after one call by each thread.
template <class T, class F>
__global__ void update_all(T* address, F update) {
  update(address, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}

template <class T, class F>
T after_all(T start, F update) {
  const corpus::DeviceArray<T> value(std::vector<T>{start});
  update_all<<<blocks, threads>>>(value.data(), update);
  return value.download()[0];
}

// A fixed permutation of the thread numbers, so that extremes are met in the middle.
constexpr int shuffled(int i) { return i * 1021 % total; }

}  // namespace

#define EXPECT_LEFT(type, start, call, expected)                                                         \
  report.expect_equal(#type " " #call, after_all<type>(start, [] __device__(type * p, int i) { call; }), \
                      type(expected))

CORPUS_CASE(adds_and_subtracts) {
  const Long sum = Long(total) * (total - 1) / 2;
  EXPECT_LEFT(int, -5, atomicAdd(p, i), sum - 5);
  EXPECT_LEFT(Unsigned, 5u, atomicAdd_block(p, 0u) + atomicAdd(p, Unsigned(i)), sum + 5);
  EXPECT_LEFT(UnsignedLong, 1ull << 40, atomicAdd_system(p, UnsignedLong(i)), sum + (1ll << 40));
  EXPECT_LEFT(float, 0.5f, atomicAdd(p, float(i % 8)), 0.5f + 3.5f * total);
  EXPECT_LEFT(double, 0.25, atomicAdd(p, i * 0.5), 0.25 + sum * 0.5);
  EXPECT_LEFT(int, 7, atomicSub(p, i), 7 - sum);
  EXPECT_LEFT(Unsigned, 7u, atomicSub(p, Unsigned(i)), 7 - sum);
}

CORPUS_CASE(finds_extremes) {
  EXPECT_LEFT(int, 3, atomicMin(p, shuffled(i) - 1000), -1000);
  EXPECT_LEFT(int, -3, atomicMax(p, shuffled(i) - total - 9), -3);
  EXPECT_LEFT(Unsigned, 0xfffffff0u, atomicMin(p, Unsigned(shuffled(i)) + 0x80000000u), 0x80000000u);
  EXPECT_LEFT(Unsigned, 1u, atomicMax(p, Unsigned(shuffled(i)) + 0x80000000u), 0x80000000u + total - 1);
  EXPECT_LEFT(Long, 3, atomicMin(p, Long(shuffled(i)) - (1ll << 40)), -(1ll << 40));
  EXPECT_LEFT(Long, -3, atomicMax_system(p, Long(shuffled(i)) + (1ll << 40)), (1ll << 40) + total - 1);
  EXPECT_LEFT(UnsignedLong, ~0ull, atomicMin_system(p, UnsignedLong(shuffled(i)) + (1ull << 63)), 1ull << 63);
  EXPECT_LEFT(UnsignedLong, 0ull, atomicMax(p, UnsignedLong(shuffled(i)) + (1ull << 63)),
              (1ull << 63) + total - 1);
}

CORPUS_CASE(combines_bits) {
  EXPECT_LEFT(int, -1, atomicAnd(p, ~(1 << i % 31)), int(0x80000000u));
  EXPECT_LEFT(Unsigned, 0u, atomicOr(p, 1u << i % 32), 0xffffffffu);
  EXPECT_LEFT(UnsignedLong, ~0ull, atomicAnd(p, ~(1ull << i % 60)), 0xfull << 60);
  EXPECT_LEFT(UnsignedLong, 0ull, atomicOr_system(p, 1ull << i % 64), ~0ull);
  EXPECT_LEFT(Long, 0ll, atomicXor(p, 1ll << i % 3),
              7 * (total / 3 % 2) ^ (total % 3 > 0 ? 1 : 0) ^ (total % 3 > 1 ? 2 : 0));
  EXPECT_LEFT(int, 0, atomicXor_system(p, i), 0);
  EXPECT_LEFT(Unsigned, 9u, atomicXor(p, Unsigned(i)), 9);
}

CORPUS_CASE(counts_round_and_exchanges) {
  EXPECT_LEFT(Unsigned, 0u, atomicInc(p, 6u), total % 7);
  EXPECT_LEFT(Unsigned, 0u, atomicDec(p, 6u), (7 - total % 7) % 7);
  EXPECT_LEFT(Unsigned, 100u, atomicDec(p, 6u), 6 - (total - 1) % 7);
  const auto ends_as_one_of_them = [](double left) {
    return left >= 1 && left <= total && left == int(left);
  };
  report.expect("exchanged int", ends_as_one_of_them(after_all<int>(
                                     -1, [] __device__(int* p, int i) { atomicExch(p, i + 1); })));
  report.expect("exchanged float", ends_as_one_of_them(after_all<float>(
                                       -1, [] __device__(float* p, int i) { atomicExch(p, float(i + 1)); })));
  report.expect("exchanged 64 bits",
                ends_as_one_of_them(static_cast<double>(after_all<UnsignedLong>(
                    0, [] __device__(UnsignedLong * p, int i) { atomicExch(p, UnsignedLong(i + 1)); }))));
}

// A maximum of floats, which CUDA has no atomic for, by comparing and swapping.
CORPUS_CASE(compares_and_swaps) {
  EXPECT_LEFT(Unsigned, 0u, ([p, i] {
                Unsigned old = *p, seen;
                do {
                  seen = old;
                  const float larger = fmaxf(__uint_as_float(seen), shuffled(i) * 0.5f);
                  old = atomicCAS(p, seen, __float_as_uint(larger));
                } while (old != seen);
              }()),
              Unsigned(0x447fe000u));
  EXPECT_LEFT(Short, 3, ([p] {
                Short old = *p, seen;
                do {
                  seen = old;
                  old = atomicCAS(p, seen, static_cast<Short>(seen + 3));
                } while (old != seen);
              }()),
              3 + 3 * total);
  EXPECT_LEFT(UnsignedLong, 1ull, ([p] {
                UnsignedLong old = *p, seen;
                do {
                  seen = old;
                  old = atomicCAS(p, seen, seen + (1ull << 33));
                } while (old != seen);
              }()),
              1 + (UnsignedLong(total) << 33));
}

// Every old value is given to exactly one thread.
CORPUS_CASE(gives_each_old_value_once) {
  const corpus::DeviceArray<int> next(std::vector<int>{0}), seen(std::vector<int>(total, 0));
  int* const counter = next.data();
  update_all<<<blocks, threads>>>(
      seen.data(), [counter] __device__(int* p, int) { atomicAdd(p + atomicAdd(counter, 1), 1); });
  report.expect_equal("takers", seen.download(), std::vector<int>(total, 1));
}

CORPUS_CASE(works_on_vectors) {
  const corpus::DeviceArray<float4> four(1);
  const corpus::DeviceArray<float2> two(1);
  cudaMemset(four.data(), 0, sizeof(float4));
  cudaMemset(two.data(), 0, sizeof(float2));
  update_all<<<blocks, threads>>>(four.data(), [] __device__(float4 * p, int i) {
    atomicAdd(p, make_float4(1.0f, float(i % 2), 0.5f, -1.0f));
  });
  update_all<<<blocks, threads>>>(two.data(),
                                  [] __device__(float2 * p, int) { atomicAdd(p, make_float2(2.0f, -0.5f)); });
  const float4 f = four.download()[0];
  const float2 t = two.download()[0];
  report.expect_equal("sums", std::vector<float>{f.x, f.y, f.z, f.w, t.x, t.y},
                      std::vector<float>{total, total / 2, total / 2, -total, 2 * total, -total / 2});
}
