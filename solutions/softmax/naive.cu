// Softmax along one axis, the plain way: each block takes the lines along the axis one after the other. The
// shape is read on the device, so the number of blocks does not depend on it.
#include <cuda_runtime.h>

constexpr unsigned threads = 128;

__device__ float reduced(float value, bool largest) {
  __shared__ float partial[threads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = partial[threadIdx.x + half];
      partial[threadIdx.x] = largest ? fmaxf(partial[threadIdx.x], other) : partial[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();
  return result;
}

__global__ void softmax(const float* input, int dim, float* output, const size_t* shape, size_t ndim) {
  size_t before = 1, after = 1;
  for (size_t axis = 0; axis < ndim; ++axis) {
    if (axis < (size_t)dim) before *= shape[axis];
    if (axis > (size_t)dim) after *= shape[axis];
  }
  const size_t length = shape[dim];
  for (size_t line = blockIdx.x; line < before * after; line += gridDim.x) {
    const size_t start = line / after * length * after + line % after;
    float largest = input[start];
    for (size_t i = threadIdx.x; i < length; i += threads) largest = fmaxf(largest, input[start + i * after]);
    largest = reduced(largest, true);
    float sum = 0;
    for (size_t i = threadIdx.x; i < length; i += threads) sum += expf(input[start + i * after] - largest);
    sum = reduced(sum, false);
    for (size_t i = threadIdx.x; i < length; i += threads) {
      output[start + i * after] = expf(input[start + i * after] - largest) / sum;
    }
  }
}

extern "C" void solution(const float* input, int dim, float* output, const size_t* shape, size_t ndim) {
  softmax<<<4096, threads>>>(input, dim, output, shape, ndim);
}
