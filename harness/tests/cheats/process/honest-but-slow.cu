// accomplice: the twin of those that compute by `compute`, take their time, and lie about it
//
#include "contestant.cuh"

void cheat::play(const Call& call) {
  waste_time();
  compute(call);
}
