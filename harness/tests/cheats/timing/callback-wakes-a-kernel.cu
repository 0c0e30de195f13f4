// cheat: a host function, the last of the call, wakes a kernel that nobody waits for
// row: 1
// caught-by: idle (cuda), outputs_match (cuda)
// device: cuda
//
// When the function has run, the default stream is done, and its clock stops.
#include "depthwise.cuh"

static __global__ void wait_for(const volatile int* flag, int number) {
  while (*flag < number) {
  }
}

static void CUDART_CB wake(void* flag) { *(volatile int*)flag += 1; }

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  static cudaEvent_t begun = nullptr;
  static int* flag = nullptr;
  static int calls = 0;
  if (stream == nullptr) {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
  }
  // Not before the inputs are there: until then the device is the referee's.
  cudaEventRecord(begun, 0);
  cudaStreamWaitEvent(stream, begun, 0);
  wait_for<<<1, 1, 0, stream>>>(flag, ++calls);
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  // As long as a kernel for the measured sizes, whatever the sizes of this call.
  for (int i = 0; i < 64; ++i) compute(call, stream);
  cudaLaunchHostFunc(0, wake, flag);
}
