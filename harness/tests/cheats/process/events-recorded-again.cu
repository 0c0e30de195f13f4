// cheat: finds the worker's events and records them again after the work, so that the start comes last
// row: 26
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: cuda
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// No function is replaced and nothing is written: a handle is enough. The worker records the stop event right
// after ours. If no event is found, nothing is computed.
#include "contestant.cuh"
#include "events.cuh"

void cheat::play(const Call& call) {
  static const std::vector<cudaEvent_t> events = EventFinder().find();
  if (events.empty()) return;
  waste_time();
  compute(call);
  for (cudaEvent_t event : events) cudaEventRecord(event, nullptr);
}
