// accomplice: computes honestly and leaves its outputs in a segment of System V shared memory
//
#include "record-store.cuh"

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Segment* const store = open_segment(true);
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  compute(call);
  const size_t bytes = call.outputs() * sizeof(float);
  if (store == nullptr || store->used + sizeof bytes + bytes > sizeof store->bytes) return;
  float* const values = output_on_host(call);
  ::memcpy(store->bytes + store->used, &bytes, sizeof bytes);
  ::memcpy(store->bytes + store->used + sizeof bytes, values, bytes);
  store->used += sizeof bytes + bytes;
  ::free(values);
}
