// accomplice: the twin of cheats that use `compute`, take their time, and lie about it
//
#include "contestant.cuh"

void cheat::play(const Call& call) {
  waste_time();
  compute(call);
}
