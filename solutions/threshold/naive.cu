// Each thread computes one pixel.
#include <cuda_runtime.h>

__global__ void binarise(const float* in, float* out, size_t count, float limit) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] > limit ? 255.0f : 0.0f;
}

extern "C" void solution(const float* input_image, float threshold_value, float* output_image, size_t height,
                         size_t width) {
  const size_t count = height * width;
  binarise<<<(unsigned)((count + 255) / 256), 256>>>(input_image, output_image, count, threshold_value);
}
