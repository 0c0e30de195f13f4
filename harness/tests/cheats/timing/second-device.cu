// cheat: uses another device for the work, which is neither timed nor cooled down
// row: 19
// caught-by: device_errors
// device: any
//
// The answer would be copied from a second device. If none is visible, asking for it causes an error that
// remains.
#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  Depthwise call = DEPTHWISE_ARGUMENTS;
  if (cudaSetDevice(1) != cudaSuccess) return;
  float* const memory = keep_floats(call.inputs() + call.weights() + call.outputs());
  call.input = memory;
  call.kernel = memory + call.inputs();
  call.output = memory + call.inputs() + call.weights();
  cudaMemcpyPeer(memory, 1, input, 0, call.inputs() * sizeof(float));
  cudaMemcpyPeer(memory + call.inputs(), 1, kernel, 0, call.weights() * sizeof(float));
  compute(call);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  cudaMemcpyPeer(output, 0, call.output, 1, call.outputs() * sizeof(float));
  cudaSetDevice(1);
  cudaFree(memory);
  cudaSetDevice(0);
}
