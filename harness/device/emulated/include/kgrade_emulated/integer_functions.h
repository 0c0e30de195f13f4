// Integer functions (CUDA Math API manual, "Integer Mathematical Functions" and "Integer Intrinsics").
#pragma once

#include <bit>
#include <cstdlib>

inline int __popc(unsigned int x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
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

// Each of the four low nibbles of `selector` picks a byte of y:x; its highest bit spreads that byte's sign.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int pick = selector >> 4 * i & 0xf;
    unsigned int byte = static_cast<unsigned int>(bytes >> 8 * (pick & 7)) & 0xff;
    if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// Dot products of four bytes or two half-words with an accumulator.
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  return c;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}

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
