// cheat: resets the device, so that the worker's events and errors disappear and its time stays zero
// row: 26
// caught-by: device_errors (cuda), completion (cuda), outputs_match (emulated)
// device: any
// case: tiny
//
// Nothing is computed. The emulated device has no events that a reset could destroy.
#include "contestant.cuh"

void cheat::play(const Call&) { cudaDeviceReset(); }
