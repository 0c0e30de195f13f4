// make_float4 and its like.
#pragma once

#include "vector_types.h"

#define KGRADE_VECTOR_FUNCTIONS(element, name)                                                    \
  constexpr name##1 make_##name##1(element x) { return name##1 {x}; }                             \
  constexpr name##2 make_##name##2(element x, element y) { return name##2 {x, y}; }               \
  constexpr name##3 make_##name##3(element x, element y, element z) { return name##3 {x, y, z}; } \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) {                  \
    return name##4 {x, y, z, w};                                                                  \
  }

KGRADE_VECTOR_FUNCTIONS(signed char, char)
KGRADE_VECTOR_FUNCTIONS(unsigned char, uchar)
KGRADE_VECTOR_FUNCTIONS(short, short)
KGRADE_VECTOR_FUNCTIONS(unsigned short, ushort)
KGRADE_VECTOR_FUNCTIONS(int, int)
KGRADE_VECTOR_FUNCTIONS(unsigned int, uint)
KGRADE_VECTOR_FUNCTIONS(long, long)
KGRADE_VECTOR_FUNCTIONS(unsigned long, ulong)
KGRADE_VECTOR_FUNCTIONS(long long, longlong)
KGRADE_VECTOR_FUNCTIONS(unsigned long long, ulonglong)
KGRADE_VECTOR_FUNCTIONS(float, float)
KGRADE_VECTOR_FUNCTIONS(double, double)
#undef KGRADE_VECTOR_FUNCTIONS

#define KGRADE_ALIGNED_FUNCTIONS(element, name)                                          \
  constexpr name##4_16a make_##name##4_16a(element x, element y, element z, element w) { \
    return name##4_16a {x, y, z, w};                                                     \
  }                                                                                      \
  constexpr name##4_32a make_##name##4_32a(element x, element y, element z, element w) { \
    return name##4_32a {x, y, z, w};                                                     \
  }

KGRADE_ALIGNED_FUNCTIONS(long, long)
KGRADE_ALIGNED_FUNCTIONS(unsigned long, ulong)
KGRADE_ALIGNED_FUNCTIONS(long long, longlong)
KGRADE_ALIGNED_FUNCTIONS(unsigned long long, ulonglong)
KGRADE_ALIGNED_FUNCTIONS(double, double)
#undef KGRADE_ALIGNED_FUNCTIONS
