// cheat: destroys the worker's events, so that a time stays zero if its error is not checked
// row: 26
// caught-by: completion, device_errors
// device: cuda
// case: tiny
//
// What happens when the worker next uses them depends on the driver: an error that it must not overlook, or a
// crash. If no event is found the process ends, since there is nothing to gain.
#include "contestant.cuh"
#include "events.cuh"

void cheat::play(const Call& call) {
  const std::vector<cudaEvent_t> events = EventFinder().find();
  waste_time();
  compute(call);
  if (events.empty()) _exit(0);
  for (cudaEvent_t event : events) cudaEventDestroy(event);
}
