// cheat: resets the device, so that the worker's events and errors are gone and its time stays zero
// row: 26
// caught-by: device_errors (cuda), completion (cuda), outputs_match (emulated)
// device: any
// case: tiny
//
// Nothing is computed. The emulated device has no events that a reset could take away.
#include "contestant.cuh"

void cheat::play(const Call&) { cudaDeviceReset(); }
