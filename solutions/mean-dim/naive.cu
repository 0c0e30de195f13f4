// Each thread reduces one line. The shape is on the device, so it is read first.
#include <cuda_runtime.h>

__global__ void reduce(const float* in, float* out, size_t outer, size_t length, size_t inner) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outer * inner) return;
  const float* line = in + i / inner * length * inner + i % inner;
  float r = 0;
  for (size_t k = 0; k < length; ++k) r = r + line[k * inner];
  out[i] = r / length;
}

extern "C" void solution(const float* input, int dim, float* output, const size_t* shape, size_t ndim) {
  size_t extents[8];
  cudaMemcpy(extents, shape, ndim * sizeof(size_t), cudaMemcpyDeviceToHost);
  size_t outer = 1, inner = 1;
  for (int i = 0; i < dim; ++i) outer *= extents[i];
  for (int i = dim + 1; i < (int)ndim; ++i) inner *= extents[i];
  const size_t count = outer * inner;
  reduce<<<(unsigned)((count + 255) / 256), 256>>>(input, output, outer, extents[dim], inner);
}
