// One block computes one row of the output: a warp each the logits of some keys, then their softmax, and at last a
// thread each some columns of the weighted sum of the values.
#include <cuda_runtime.h>

constexpr unsigned threads = 256;
constexpr unsigned warps = threads / 32;

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

__global__ void attend(const float* queries, const float* keys, const float* values, float* output, size_t length,
                       size_t width) {
  extern __shared__ float weights[];  // of all keys
  const size_t row = blockIdx.x;
  const float* query = queries + row * width;
  const size_t head = row / length * length * width;
  for (size_t j = threadIdx.x / 32; j < length; j += warps) {
    const float* key = keys + head + j * width;
    float sum = 0;
    for (size_t e = threadIdx.x % 32; e < width; e += 32) sum += query[e] * key[e];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) weights[j] = sum / sqrtf((float)width);
  }
  __syncthreads();
  float largest = -INFINITY;
  for (size_t j = threadIdx.x; j < length; j += threads) largest = fmaxf(largest, weights[j]);
  largest = reduced(largest, true);
  float sum = 0;
  for (size_t j = threadIdx.x; j < length; j += threads) {
    weights[j] = expf(weights[j] - largest);
    sum += weights[j];
  }
  sum = reduced(sum, false);
  for (size_t e = threadIdx.x; e < width; e += threads) {
    float value = 0;
    for (size_t j = 0; j < length; ++j) value += weights[j] * values[head + j * width + e];
    output[row * width + e] = value / sum;
  }
}

extern "C" void solution(const float* Q, const float* K, const float* V, float* output, size_t B, size_t H,
                         size_t S, size_t E) {
  attend<<<(unsigned)(B * H * S), threads, S * sizeof(float)>>>(Q, K, V, output, S, E);
}
