// CUDA's vector types (Programming Guide, "Built-in Vector Types"), with its sizes and alignments.
#pragma once

#include "kgrade_emulated/qualifiers.h"

#define KGRADE_VECTOR_TYPES(element, name, align2, align4) \
  struct name##1 {                                         \
    element x;                                             \
  };                                                       \
  struct alignas(align2) name##2 {                         \
    element x, y;                                          \
  };                                                       \
  struct name##3 {                                         \
    element x, y, z;                                       \
  };                                                       \
  struct alignas(align4) name##4 {                         \
    element x, y, z, w;                                    \
  };

KGRADE_VECTOR_TYPES(signed char, char, 2, 4)
KGRADE_VECTOR_TYPES(unsigned char, uchar, 2, 4)
KGRADE_VECTOR_TYPES(short, short, 4, 8)
KGRADE_VECTOR_TYPES(unsigned short, ushort, 4, 8)
KGRADE_VECTOR_TYPES(int, int, 8, 16)
KGRADE_VECTOR_TYPES(unsigned int, uint, 8, 16)
KGRADE_VECTOR_TYPES(long, long, 16, 16)
KGRADE_VECTOR_TYPES(unsigned long, ulong, 16, 16)
KGRADE_VECTOR_TYPES(long long, longlong, 16, 16)
KGRADE_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
KGRADE_VECTOR_TYPES(float, float, 8, 16)
KGRADE_VECTOR_TYPES(double, double, 16, 16)
#undef KGRADE_VECTOR_TYPES

// Vectors of four 8-byte elements with the alignments that CUDA 13 added. The type without an ending is
// aligned to 16 bytes.
#define KGRADE_ALIGNED_TYPES(element, name) \
  struct alignas(16) name##4_16a {          \
    element x, y, z, w;                     \
  };                                        \
  struct alignas(32) name##4_32a {          \
    element x, y, z, w;                     \
  };

KGRADE_ALIGNED_TYPES(long, long)
KGRADE_ALIGNED_TYPES(unsigned long, ulong)
KGRADE_ALIGNED_TYPES(long long, longlong)
KGRADE_ALIGNED_TYPES(unsigned long long, ulonglong)
KGRADE_ALIGNED_TYPES(double, double)
#undef KGRADE_ALIGNED_TYPES

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int width = 1, unsigned int height = 1, unsigned int depth = 1)
      : x(width), y(height), z(depth) {}
  constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
