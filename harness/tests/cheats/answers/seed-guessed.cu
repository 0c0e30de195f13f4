// cheat: guesses the seed: small numbers, popular ones, and the time
// row: 43
// caught-by: outputs_match
// device: emulated
// case: plain
//
// Trying all values finds a seed of few bits, and then every answer is known before the call.
#include <ctime>

#include "replay.cuh"

static bool guess(const Depthwise& problem, uint64_t& seed, uint32_t& draw) {
  for (seed = 0; seed < 20000; ++seed) {
    if (gives(seed, problem, draw)) return true;
  }
  for (const uint64_t liked : {0xdeadbeefull, 0xcafebabeull, 0x5eedull << 16, 123456789ull, 20240229ull}) {
    seed = liked;
    if (gives(seed, problem, draw)) return true;
  }
  const uint64_t now = (uint64_t)std::time(nullptr);
  for (seed = now; seed > now - 600; --seed) {
    if (gives(seed, problem, draw)) return true;
  }
  return false;
}

static void cheat(const Depthwise& problem) {
  static uint64_t seed = 0;
  uint32_t draw = 0;
  if (gives(seed, problem, draw) || guess(problem, seed, draw)) answer_from_replay(seed, draw, problem);
}
