// What matrix units multiply while their rate is measured: numbers of either sign between 2^-10 and 2^-9, so
// that no sum ever leaves the range of its type, with all other bits varied, as those of real data are.
#pragma once

#include <cstdint>

namespace kgrade::cuda {

// How a 32-bit word holds them: sign and exponent, and which bits vary (of tf32 those that it has).
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

}  // namespace kgrade::cuda
