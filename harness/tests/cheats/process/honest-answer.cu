// accomplice: answers honestly, in the plain way of the cheats in this folder
#include "contestant.cuh"

void cheat::play(const Call& call) { compute(call); }
