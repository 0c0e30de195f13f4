// The inputs of the default problem's case 'plain', computed from the seed alone, as the harness draws them:
// its source code is public (harness/draw). The generator is Philox4x32-10, and its key comes from the seed
// and the case's name.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "depthwise.cuh"

struct Words {
  uint32_t word[4];
};

inline Words philox(Words counter, uint64_t key) {
  uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; ++round, low += 0x9E3779B9u, high += 0xBB67AE85u) {
    const uint64_t first = uint64_t{0xD2511F53u} * counter.word[0];
    const uint64_t second = uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{(uint32_t)(second >> 32) ^ counter.word[1] ^ low, (uint32_t)second,
                (uint32_t)(first >> 32) ^ counter.word[3] ^ high, (uint32_t)first}};
  }
  return counter;
}

inline uint64_t key_of_case(uint64_t seed) {
  uint64_t name = 0xcbf29ce484222325ull;
  for (const char* c = "conv-depthwise-2d-square-input-asym-kernel/plain"; *c != 0; ++c) {
    name = (name ^ (unsigned char)*c) * 0x100000001b3ull;
  }
  const Words mixed = philox({{(uint32_t)name, (uint32_t)(name >> 32), 0, 0}}, seed);
  return uint64_t{mixed.word[1]} << 32 | mixed.word[0];
}

// Element `index` of the first input in draw `draw`.
inline float replayed(uint64_t key, uint32_t draw, size_t index) {
  const uint64_t block = index / 4;
  const Words words = philox({{(uint32_t)block, (uint32_t)(block >> 32), 0, draw}}, key);
  return (float)((words.word[index % 4] >> 8) / 16777216.0);
}

// Whether the seed gives the input of this call; sets `draw` to the draw that does.
inline bool gives(uint64_t seed, const Depthwise& problem, uint32_t& draw) {
  const uint64_t key = key_of_case(seed);
  for (draw = 0; draw < 4; ++draw) {
    if (replayed(key, draw, 0) == problem.input[0] && replayed(key, draw, 5) == problem.input[5]) return true;
  }
  return false;
}

// The answer computed from replayed inputs, without reading the given ones: it could have been made before
// the call.
inline void answer_from_replay(uint64_t seed, uint32_t draw, const Depthwise& problem) {
  const uint64_t key = key_of_case(seed);
  std::vector<float> input(problem.inputs());
  for (size_t i = 0; i < input.size(); ++i) input[i] = replayed(key, draw, i);
  Depthwise replay = problem;
  replay.input = input.data();
  for (size_t i = 0; i < problem.outputs(); ++i) problem.output[i] = replay.value(i);
}
