// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). For
// host and device code.
#pragma once

#include <cstdint>

#include "base/compiler.h"

namespace kgrade {

// Adding this to a number gives the next number of a sequence.
inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15u;

// Neighbouring numbers become unrelated ones.
KGRADE_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace kgrade
