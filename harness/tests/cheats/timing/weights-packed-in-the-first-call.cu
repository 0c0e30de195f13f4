// cheat: transposes the weights in the first call of a shape and uses the result for all others
// row: 11
// caught-by: outputs_match
// device: any
// control: fresh_inputs
//
// Packing is part of the call's work; it could be done once only if the problem declared its weights
// constant.
#include "shapes.cuh"

static __global__ void pack(float* packed, Depthwise call) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.weights()) return;
  const size_t taps = call.kernel_h * call.kernel_w;
  packed[index % taps * call.out_channels + index / taps] = call.kernel[index];
}

static __global__ void compute_packed(Depthwise call, const float* packed) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= call.outputs()) return;
  const size_t x = index % call.out_width();
  const size_t y = index / call.out_width() % call.out_height();
  const size_t plane = index / call.out_width() / call.out_height();
  const size_t out_channel = plane % call.out_channels;
  const size_t in_plane =
      plane / call.out_channels * call.in_channels + out_channel / (call.out_channels / call.in_channels);
  float sum = 0;
  for (size_t tap = 0; tap < call.kernel_h * call.kernel_w; ++tap) {
    const size_t i = y * call.stride_h + tap / call.kernel_w * call.dilation_h;
    const size_t j = x * call.stride_w + tap % call.kernel_w * call.dilation_w;
    if (i < call.padding_h || i >= call.padding_h + call.height) continue;
    if (j < call.padding_w || j >= call.padding_w + call.width) continue;
    sum += call.input[(in_plane * call.height + i - call.padding_h) * call.width + j - call.padding_w] *
           packed[tap * call.out_channels + out_channel];
  }
  call.output[index] = sum;
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  Shape& shape = shape_of(shapes, call);
  if (shape.kept == nullptr) {
    shape.kept = keep_floats(call.weights());
    pack<<<(unsigned)((call.weights() + 255) / 256), 256>>>(shape.kept, call);
  }
  compute_packed<<<depthwise_blocks(call), 256>>>(call, shape.kept);
}
