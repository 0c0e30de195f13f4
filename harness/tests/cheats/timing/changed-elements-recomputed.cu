// cheat: keeps inputs and outputs of the previous call, and computes only outputs that new elements affect
// row: 5
// caught-by: no_gain
// twin: honest-depthwise.cu
// device: any
// case: plain (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Never wrong, and no faster if all elements are new, and only such calls give samples. The waiting stands
// for work that takes far longer than the comparison; it is the same for each output that is computed.
#include "shapes.cuh"

// What is kept for a shape.
struct Kept {
  unsigned* computed;  // outputs of the present call
  float *input, *kernel, *output;
  unsigned char *new_inputs, *new_weights;

  Kept(float* memory, const Depthwise& call) {
    computed = (unsigned*)memory;
    input = memory + 1;
    kernel = input + call.inputs();
    output = kernel + call.weights();
    new_inputs = (unsigned char*)(output + call.outputs());
    new_weights = new_inputs + call.inputs();
  }
};

static __global__ void find_new(unsigned char* is_new, float* last, const float* now, size_t count) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  is_new[i] = __float_as_uint(last[i]) != __float_as_uint(now[i]) ? 1 : 0;
  last[i] = now[i];
}

static __device__ bool is_reached(const Depthwise& call, const Kept& kept, size_t index) {
  const size_t x = index % call.out_width();
  const size_t y = index / call.out_width() % call.out_height();
  const size_t out_channel = index / call.out_width() / call.out_height() % call.out_channels;
  const size_t sample = index / call.out_width() / call.out_height() / call.out_channels;
  const size_t in_channel = out_channel / (call.out_channels / call.in_channels);
  const size_t plane = (sample * call.in_channels + in_channel) * call.height;
  for (size_t k = 0; k < call.kernel_h; ++k) {
    for (size_t l = 0; l < call.kernel_w; ++l) {
      if (kept.new_weights[(out_channel * call.kernel_h + k) * call.kernel_w + l] != 0) return true;
      const size_t i = y * call.stride_h + k * call.dilation_h;
      const size_t j = x * call.stride_w + l * call.dilation_w;
      if (i < call.padding_h || i >= call.padding_h + call.height) continue;
      if (j < call.padding_w || j >= call.padding_w + call.width) continue;
      if (kept.new_inputs[(plane + i - call.padding_h) * call.width + j - call.padding_w] != 0) return true;
    }
  }
  return false;
}

static __global__ void compute_what_is_new(Depthwise call, Kept kept) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  if (is_reached(call, kept, index)) {
    kept.output[index] = depthwise_element(call, index);
    atomicAdd(kept.computed, 1u);
  }
  call.output[index] = kept.output[index];
}

static __global__ void work(const unsigned* computed, size_t outputs) {
  const long long cycles = (long long)(2e8 * *computed / outputs);
  for (const long long start = clock64(); clock64() - start < cycles;) {
  }
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.kept == nullptr) {
    const size_t elements = 1 + call.inputs() + call.weights() + call.outputs();
    const size_t marks = (call.inputs() + call.weights() + sizeof(float) - 1) / sizeof(float);
    shape.kept = keep_floats(elements + marks);
    cudaMemsetAsync(shape.kept, 0xff, elements * sizeof(float), 0);
  }
  const Kept kept(shape.kept, call);
  cudaMemsetAsync(kept.computed, 0, sizeof *kept.computed, 0);
  const unsigned threads = 256;
  find_new<<<(unsigned)((call.inputs() + threads - 1) / threads), threads>>>(kept.new_inputs, kept.input,
                                                                             call.input, call.inputs());
  find_new<<<(unsigned)((call.weights() + threads - 1) / threads), threads>>>(kept.new_weights, kept.kernel,
                                                                              call.kernel, call.weights());
  compute_what_is_new<<<depthwise_blocks(call), 256>>>(call, kept);
  work<<<1, 1>>>(kept.computed, call.outputs());
}
