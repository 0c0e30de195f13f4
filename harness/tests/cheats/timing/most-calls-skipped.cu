// cheat: does the work in the first call of a shape, and at random in one of eight of the others
// row: 10
// caught-by: outputs_match
// device: any
// control: every_call_compared, lower_bound
//
// A harness that checks one output of many usually finds it right.
#include <time.h>

#include "shapes.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const bool works = (unsigned long)now.tv_nsec * 2654435761ul >> 20 & 7 ? false : true;
  if (shape_of(shapes, call).calls == 1 || works) compute(call);
}
