// Poison, and the search for it after a call. Poison fills guard zones, and before each call also outputs.
// The code is written once for host and device. A block is 16 bytes of a random stream: bytes 16b to 16b+15
// of a buffer. The address of a buffer is a multiple of 16.
#pragma once

#include <cstdint>

#include "device/contents.h"

namespace kgrade::device {

struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

// The blocks of a byte range: first, and one past the last.
KGRADE_HOST_DEVICE inline std::uint64_t first_block(ByteRange range) { return range.begin / 16; }
KGRADE_HOST_DEVICE inline std::uint64_t end_block(ByteRange range) { return (range.end + 15) / 16; }

// Random bits, but never a value that an output could hold. As a float, each word is a NaN or at least 2^65
// in size. The same holds for its halves as bfloat16. Purely random bits would not do: four times in ten they
// are a float below 1e-5, so an element that is expected to be zero could pass without being written. A
// float16 cannot be as large as 2^65, so each half is a NaN or an infinity. An integer of several bytes is
// larger than most expected integers. An integer of one byte is from 96 to 127, so it is not a boolean.
struct Poison {
  RandomStream stream;
  Dtype dtype = Dtype::float32;  // of the tensor that the buffer holds
};

KGRADE_HOST_DEVICE inline PhiloxBlock poison_block(const Poison& poison, std::uint64_t block) {
  PhiloxBlock words = random_block(poison.stream, block);
  const bool is_byte = element_bytes(poison.dtype) == 1;
  const std::uint32_t always = poison.dtype == Dtype::float16 ? 0x7C007C00u
                               : is_byte                      ? 0x60606060u
                                                              : 0x60006000u;
  const std::uint32_t never = is_byte ? 0x80808080u : 0;
  for (std::uint32_t& word : words.word) word = (word | always) & ~never;
  return words;
}

KGRADE_HOST_DEVICE inline ByteRange clip(ByteRange range, std::uint64_t block) {
  const std::uint64_t begin = 16 * block;
  return {begin < range.begin ? range.begin : begin, begin + 16 > range.end ? range.end : begin + 16};
}

KGRADE_HOST_DEVICE inline void fill_block(unsigned char* buffer, ByteRange range, const Poison& poison,
                                          std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  if (part.end - part.begin == 16) {
    reinterpret_cast<PhiloxBlock*>(buffer)[block] = words;
    return;
  }
  for (std::uint64_t i = part.begin; i < part.end; ++i) buffer[i] = random_byte(words, i);
}

KGRADE_HOST_DEVICE inline bool is_same(const PhiloxBlock& a, const PhiloxBlock& b) {
  std::uint32_t difference = 0;
  for (int i = 0; i < 4; ++i) difference |= a.word[i] ^ b.word[i];
  return difference == 0;
}

KGRADE_HOST_DEVICE inline unsigned int changed_bytes_in_block(const unsigned char* buffer, ByteRange range,
                                                              const Poison& poison, std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  if (part.end - part.begin == 16) {
    const PhiloxBlock found = reinterpret_cast<const PhiloxBlock*>(buffer)[block];
    if (is_same(found, words)) return 0;
  }
  unsigned int changed = 0;
  for (std::uint64_t i = part.begin; i < part.end; ++i) changed += buffer[i] != random_byte(words, i);
  return changed;
}

// Whether an element that holds poison is sure to be unwritten. A one-byte integer is not, because a kernel
// may write any value to it.
KGRADE_HOST_DEVICE constexpr bool poison_tells_unwritten(Dtype dtype) {
  return element_bytes(dtype) > 1 || dtype == Dtype::boolean;
}

// Whether element number `index` of the tensor at byte `begin` of a buffer still has the bits that
// fill_block() wrote. `tensor` has only the bytes of the tensor.
KGRADE_HOST_DEVICE inline bool is_poison(const unsigned char* tensor, std::uint64_t begin,
                                         std::uint64_t index, const Poison& poison) {
  const std::uint64_t step = element_bytes(poison.dtype);
  const std::uint64_t first = begin + index * step;
  const PhiloxBlock words = poison_block(poison, first / 16);  // tensors are aligned, so one block holds it
  for (std::uint64_t k = 0; k < step; ++k) {
    if (tensor[index * step + k] != random_byte(words, first + k)) return false;
  }
  return true;
}

// The number of aligned elements that still have the bits that fill_block() wrote.
KGRADE_HOST_DEVICE inline unsigned int unchanged_elements_in_block(const unsigned char* buffer,
                                                                   ByteRange range, const Poison& poison,
                                                                   std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  const std::uint64_t step = element_bytes(poison.dtype);
  unsigned int unchanged = 0;
  for (std::uint64_t i = part.begin; i + step <= part.end; i += step) {
    bool same = true;
    for (std::uint64_t k = i; k < i + step; ++k) same = same && buffer[k] == random_byte(words, k);
    unchanged += same;
  }
  return unchanged;
}

}  // namespace kgrade::device
