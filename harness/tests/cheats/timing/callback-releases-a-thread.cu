// cheat: a host function, the last of the call, releases a thread that launches the work
// row: 2
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// The call returns before anything has run, and the clock sees an empty stream.
#include "late-threads.cuh"

static void CUDART_CB release(void* thread) { ((LateThread*)thread)->let_go(); }

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static LateThread* thread = nullptr;
  if (thread == nullptr) {
    thread = new LateThread;
    thread->start();
  }
  thread->hand_over(DEPTHWISE_ARGUMENTS);
  cudaLaunchHostFunc(0, release, thread);
}
