// cheat: a resident host thread launches the work as soon as the call has returned
// row: 3
// caught-by: idle
// device: any
//
// The first call starts it; from then on a call only sets a flag, which the thread polls.
#include "late-threads.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static LateThread* thread = nullptr;
  if (thread == nullptr) {
    thread = new LateThread;
    thread->start();
  }
  thread->hand_over(DEPTHWISE_ARGUMENTS);
  thread->let_go();
}
