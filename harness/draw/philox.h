// Philox4x32-10, the counter-based generator of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel Random
// Numbers: As Easy as 1, 2, 3" (SC 2011), section 4.3. A counter and a key give the same bits on every
// machine, and any element can be computed without the ones before it. Host and device code include this
// header.
#pragma once

#include <cstdint>

#include "base/compiler.h"

namespace kgrade {

// Aligned, so that a GPU reads or writes a block at once.
struct alignas(16) PhiloxBlock {
  std::uint32_t word[4];
};

// One stream of random words. `key` is secret if the stream has to be secret. The other two words distinguish
// what is drawn with one key (a tensor, a draw).
struct RandomStream {
  std::uint64_t key = 0;
  std::uint32_t stream = 0;
  std::uint32_t draw = 0;
};

KGRADE_HOST_DEVICE inline PhiloxBlock philox4x32_10(PhiloxBlock counter, std::uint32_t key0,
                                                    std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// Words 4 * block to 4 * block + 3 of a stream.
KGRADE_HOST_DEVICE inline PhiloxBlock random_block(const RandomStream& stream, std::uint64_t block) {
  const PhiloxBlock counter = {{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                stream.stream, stream.draw}};
  return philox4x32_10(counter, static_cast<std::uint32_t>(stream.key),
                       static_cast<std::uint32_t>(stream.key >> 32));
}

KGRADE_HOST_DEVICE inline std::uint32_t random_word(const RandomStream& stream, std::uint64_t index) {
  return random_block(stream, index / 4).word[index % 4];
}

// Byte `index` of a stream, little-endian within each word.
KGRADE_HOST_DEVICE inline unsigned char random_byte(const PhiloxBlock& block, std::uint64_t index) {
  return static_cast<unsigned char>(block.word[(index % 16) / 4] >> (8 * (index % 4)));
}

}  // namespace kgrade
