// cheat: a host thread started by a static constructor launches the work after the call has returned
// row: 2
// caught-by: idle
// device: any
//
// No call starts a thread: counting threads before and after a call shows no difference.
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
