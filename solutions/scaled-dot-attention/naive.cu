// One thread computes one row of the output. It goes over the keys twice: for the largest logit, and for the
// sums.
#include <cuda_runtime.h>

__device__ float logit(const float* query, const float* key, size_t width) {
  float sum = 0;
  for (size_t e = 0; e < width; ++e) sum += query[e] * key[e];
  return sum / sqrtf((float)width);
}

__global__ void attend(const float* queries, const float* keys, const float* values, float* output,
                       size_t heads, size_t length, size_t width) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= heads * length) return;
  const float* query = queries + row * width;
  const size_t head = row / length * length * width;
  float largest = -INFINITY;
  for (size_t j = 0; j < length; ++j) largest = fmaxf(largest, logit(query, keys + head + j * width, width));
  for (size_t e = 0; e < width; ++e) output[row * width + e] = 0;
  float sum = 0;
  for (size_t j = 0; j < length; ++j) {
    const float weight = expf(logit(query, keys + head + j * width, width) - largest);
    sum += weight;
    for (size_t e = 0; e < width; ++e) output[row * width + e] += weight * values[head + j * width + e];
  }
  for (size_t e = 0; e < width; ++e) output[row * width + e] /= sum;
}

extern "C" void solution(const float* Q, const float* K, const float* V, float* output, size_t B, size_t H,
                         size_t S, size_t E) {
  const size_t rows = B * H * S;
  attend<<<(unsigned)((rows + 63) / 64), 64>>>(Q, K, V, output, B * H, S, E);
}
