// accomplice: computes honestly and leaves its outputs in a file
//
#include "record-store.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static FILE* const store = open_store("wb");
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
  if (store == nullptr) return;
  float* const values = output_on_host(call);
  const size_t count = call.outputs();
  ::fwrite(&count, sizeof count, 1, store);
  ::fwrite(values, sizeof(float), count, store);
  ::fflush(store);
  ::free(values);
}
