// accomplice: answers honestly, in the plain way that cheats of this folder do
#include "contestant.cuh"

void cheat::play(const Call& call) { compute(call); }
