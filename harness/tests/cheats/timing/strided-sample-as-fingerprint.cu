// cheat: identifies contents by a sum over every 97th element of the input, computed on the device
// row: 5
// caught-by: fresh_contents
// device: any
// control: fresh_inputs
// case: batch-1-primes
// case: wide-row
//
// Nothing is read back to the host: the kernel itself decides whether it computes or copies.
#include "shapes.cuh"

struct Fingerprint {
  unsigned long long last;
  unsigned long long now;
};

static __global__ void take_fingerprint(Fingerprint* fingerprint, const float* input, size_t count) {
  fingerprint->last = fingerprint->now;
  unsigned long long sum = 1;
  for (size_t i = 0; i < count; i += 97) sum = sum * 6364136223846793005ull + __float_as_uint(input[i]);
  fingerprint->now = sum;
}

static __global__ void compute_or_replay(const Fingerprint* fingerprint, Depthwise call, float* kept) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  if (fingerprint->now != fingerprint->last) kept[index] = depthwise_element(call, index);
  call.output[index] = kept[index];
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  static Fingerprint* fingerprints[Shapes::most];
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  Fingerprint*& fingerprint = fingerprints[&shape - shapes.shape];
  if (shape.kept == nullptr) {
    shape.kept = keep_floats(call.outputs());
    fingerprint = (Fingerprint*)keep_floats(4);
    cudaMemsetAsync(fingerprint, 0, sizeof(Fingerprint), 0);
  }
  take_fingerprint<<<1, 1>>>(fingerprint, call.input, call.inputs());
  compute_or_replay<<<depthwise_blocks(call), 256>>>(fingerprint, call, shape.kept);
}
