// Three kernels: one thread computes one logit of a query and a key, then one thread the softmax of one row of
// logits, and at last one thread one element of the output.
#include <cuda_runtime.h>

__global__ void logits(const float* queries, const float* keys, float* weights, size_t heads, size_t length,
                       size_t width) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= heads * length * length) return;
  const size_t row = index / length;
  const float* query = queries + row * width;
  const float* key = keys + (row / length * length + index % length) * width;
  float sum = 0;
  for (size_t e = 0; e < width; ++e) sum += query[e] * key[e];
  weights[index] = sum / sqrtf((float)width);
}

__global__ void softmax(float* weights, size_t rows, size_t length) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float* w = weights + row * length;
  float largest = w[0];
  for (size_t j = 1; j < length; ++j) largest = fmaxf(largest, w[j]);
  float sum = 0;
  for (size_t j = 0; j < length; ++j) {
    w[j] = expf(w[j] - largest);
    sum += w[j];
  }
  for (size_t j = 0; j < length; ++j) w[j] /= sum;
}

__global__ void weighted_sums(const float* weights, const float* values, float* output, size_t heads, size_t length,
                              size_t width) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= heads * length * width) return;
  const size_t row = index / width;
  const float* column = values + row / length * length * width + index % width;
  float sum = 0;
  for (size_t j = 0; j < length; ++j) sum += weights[row * length + j] * column[j * width];
  output[index] = sum;
}

unsigned blocks_for(size_t count) { return (unsigned)((count + 255) / 256); }

extern "C" void solution(const float* Q, const float* K, const float* V, float* output, size_t B, size_t H,
                         size_t S, size_t E) {
  const size_t heads = B * H;
  float* weights = nullptr;
  if (cudaMalloc(&weights, heads * S * S * sizeof(float)) != cudaSuccess) return;
  logits<<<blocks_for(heads * S * S), 256>>>(Q, K, weights, heads, S, E);
  softmax<<<blocks_for(heads * S), 256>>>(weights, heads * S, S);
  weighted_sums<<<blocks_for(heads * S * E), 256>>>(weights, V, output, heads, S, E);
  cudaFree(weights);
}
