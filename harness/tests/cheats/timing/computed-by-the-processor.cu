// cheat: the processor computes, between copies on a separate stream, before the start event is reached
// row: 15
// caught-by: outputs_match (cuda), clock (cuda), lower_bound (cuda)
// device: cuda
//
// There is no kernel at all. A clock that adds up kernels reads nothing, and one that starts after a queue
// starts when everything is done.
#include <stdlib.h>

#include "depthwise.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  Depthwise call = DEPTHWISE_ARGUMENTS;
  float* const values = (float*)::malloc((call.inputs() + call.weights() + call.outputs()) * sizeof(float));
  cudaMemcpyAsync(values, input, call.inputs() * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(values + call.inputs(), kernel, call.weights() * sizeof(float), cudaMemcpyDeviceToHost,
                  stream);
  cudaStreamSynchronize(stream);
  call.input = values;
  call.kernel = values + call.inputs();
  call.output = values + call.inputs() + call.weights();
  compute_on_host(call);
  cudaMemcpyAsync(output, call.output, call.outputs() * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  ::free(values);
}
