// cheat: compares the inputs with those of the previous call, and replays the output if all agree
// row: 5
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: any
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Never wrong. The waiting stands for work that takes far longer than the comparison; it is skipped if
// contents are repeated.
#include "shapes.cuh"

static __global__ void hold_against_last(unsigned* changed, float* last, const float* now, size_t count) {
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    if (__float_as_uint(last[i]) != __float_as_uint(now[i])) atomicExch(changed, 1u);
    last[i] = now[i];
  }
}

static __global__ void work(const unsigned* changed) {
  for (const long long start = clock64(); *changed != 0 && clock64() - start < 400000000;) {
  }
}

static __global__ void compute_or_replay(const unsigned* changed, Depthwise call, float* kept) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  if (*changed != 0) kept[index] = depthwise_element(call, index);
  call.output[index] = kept[index];
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  const size_t needed = 1 + call.inputs() + call.weights() + call.outputs();
  if (shape.kept == nullptr) {
    shape.kept = keep_floats(needed);
    cudaMemsetAsync(shape.kept, 0xff, needed * sizeof(float), 0);
  }
  unsigned* const changed = (unsigned*)shape.kept;
  float* const last = shape.kept + 1;
  cudaMemsetAsync(changed, 0, sizeof *changed, 0);
  hold_against_last<<<64, 256>>>(changed, last, call.input, call.inputs());
  hold_against_last<<<1, 256>>>(changed, last + call.inputs(), call.kernel, call.weights());
  work<<<1, 1>>>(changed);
  compute_or_replay<<<depthwise_blocks(call), 256>>>(changed, call, last + call.inputs() + call.weights());
}
