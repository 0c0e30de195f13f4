// cheat: a host thread that a static constructor has started launches the work once the call has returned
// row: 2
// caught-by: idle
// device: any
//
// No call makes a thread: whoever counts threads before and after a call finds as many.
#include "late-threads.cuh"

struct Starter {
  Starter() { thread.start(); }
  LateThread thread;
};

static Starter* const starter = new Starter;

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  starter->thread.hand_over(DEPTHWISE_ARGUMENTS);
  starter->thread.let_go();
}
