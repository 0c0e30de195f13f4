// Integer functions (CUDA Math API manual, "Integer Mathematical Functions" and "Integer Intrinsics").
#pragma once

#include <cstdlib>

#include "kgrade_emulated/bits.h"
#include "vector_types.h"

inline int __popc(unsigned int x) { return kgrade_emulated::popcount(x); }
inline int __popcll(unsigned long long x) { return kgrade_emulated::popcount(x); }
inline int __clz(int x) { return kgrade_emulated::countl_zero(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return kgrade_emulated::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }

inline unsigned int __brev(unsigned int x) {
  unsigned int result = 0;
  for (int bit = 0; bit < 32; ++bit) result |= (x >> bit & 1u) << (31 - bit);
  return result;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
}

inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<unsigned int>(x << 8 >> 8) * static_cast<unsigned int>(y << 8 >> 8));
}
inline unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline unsigned int __sad(int x, int y, unsigned int z) {
  const long long difference = static_cast<long long>(x) - y;
  return z + static_cast<unsigned int>(difference < 0 ? -difference : difference);
}
inline unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return z + (x > y ? x - y : y - x);
}
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1); }
inline unsigned int __uhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned int __urhadd(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// The 64-bit value high:low, shifted; the shift counts modulo 32, or up to 32 with _lc and _rc.
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long value = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(value << (shift & 31) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long value = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned int>(value >> (shift & 31));
}
inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// The low three bits of each of the four low nibbles of `selector` pick a byte of y:x.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int pick = selector >> 4 * i & 7;
    result |= (static_cast<unsigned int>(bytes >> 8 * pick) & 0xff) << 8 * i;
  }
  return result;
}

// Dot products with an accumulator, which wraps around: of four bytes each (dp4a), or of two half-words with
// the low or high two of four bytes (dp2a).
namespace kgrade_emulated {

template <class A, class B, class Sum>
Sum dot_product(Sum a, Sum b, Sum c, int count) {
  unsigned int sum = static_cast<unsigned int>(c);
  for (int i = 0; i < count; ++i) {
    sum += static_cast<unsigned int>(static_cast<A>(a >> 8 * sizeof(A) * i) *
                                     static_cast<B>(b >> 8 * sizeof(B) * i));
  }
  return static_cast<Sum>(sum);
}

}  // namespace kgrade_emulated

#define KGRADE_DOT_PRODUCTS(sum, half, byte, half2, byte4)                                                   \
  inline sum __dp4a(sum a, sum b, sum c) { return kgrade_emulated::dot_product<byte, byte>(a, b, c, 4); }    \
  inline sum __dp2a_lo(sum a, sum b, sum c) { return kgrade_emulated::dot_product<half, byte>(a, b, c, 2); } \
  inline sum __dp2a_hi(sum a, sum b, sum c) { return __dp2a_lo(a, b >> 16, c); }                             \
  inline sum __dp4a(byte4 a, byte4 b, sum c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }   \
  inline sum __dp2a_lo(half2 a, byte4 b, sum c) { return c + a.x * b.x + a.y * b.y; }                        \
  inline sum __dp2a_hi(half2 a, byte4 b, sum c) { return c + a.x * b.z + a.y * b.w; }
KGRADE_DOT_PRODUCTS(int, short, signed char, short2, char4)
KGRADE_DOT_PRODUCTS(unsigned int, unsigned short, unsigned char, ushort2, uchar4)
#undef KGRADE_DOT_PRODUCTS

#define KGRADE_MIN_MAX(type)                                   \
  constexpr type min(type a, type b) { return b < a ? b : a; } \
  constexpr type max(type a, type b) { return a < b ? b : a; }
#define KGRADE_MIN_MAX_MIXED(a_type, b_type, type)                                                   \
  constexpr type min(a_type a, b_type b) { return min(static_cast<type>(a), static_cast<type>(b)); } \
  constexpr type max(a_type a, b_type b) { return max(static_cast<type>(a), static_cast<type>(b)); }
KGRADE_MIN_MAX(int)
KGRADE_MIN_MAX(unsigned int)
KGRADE_MIN_MAX(long)
KGRADE_MIN_MAX(unsigned long)
KGRADE_MIN_MAX(long long)
KGRADE_MIN_MAX(unsigned long long)
KGRADE_MIN_MAX_MIXED(int, unsigned int, unsigned int)
KGRADE_MIN_MAX_MIXED(unsigned int, int, unsigned int)
KGRADE_MIN_MAX_MIXED(long, unsigned long, unsigned long)
KGRADE_MIN_MAX_MIXED(unsigned long, long, unsigned long)
KGRADE_MIN_MAX_MIXED(long long, unsigned long long, unsigned long long)
KGRADE_MIN_MAX_MIXED(unsigned long long, long long, unsigned long long)
#undef KGRADE_MIN_MAX
#undef KGRADE_MIN_MAX_MIXED

constexpr unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
constexpr unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
constexpr long long llmin(long long a, long long b) { return min(a, b); }
constexpr long long llmax(long long a, long long b) { return max(a, b); }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// The position of a set bit; all ones if there is none. A positive `offset` asks for the offset-th set bit at
// or above `base`, a negative one for a bit at or below it, and 0 for `base` itself.
inline unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  int left = offset == 0 ? 1 : std::abs(offset);
  const int step = offset < 0 ? -1 : 1;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1u) != 0 && --left == 0) return static_cast<unsigned int>(bit);
    if (offset == 0) break;
  }
  return ~0u;
}
