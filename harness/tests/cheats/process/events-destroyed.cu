// cheat: destroys the worker's events, so that a time that nobody checks stays zero
// row: 26
// caught-by: completion, device_errors
// device: cuda
// case: tiny
//
// What becomes of the worker's next use of them is the driver's affair: an error that it must not overlook,
// or a crash. Where no event is found, the process ends, since then there is nothing to be had.
#include "contestant.cuh"
#include "events.cuh"

void cheat::play(const Call& call) {
  const std::vector<cudaEvent_t> events = EventFinder().find();
  waste_time();
  compute(call);
  if (events.empty()) _exit(0);
  for (cudaEvent_t event : events) cudaEventDestroy(event);
}
