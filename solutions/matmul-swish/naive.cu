// One thread computes one element of the product.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, size_t rows, size_t columns, size_t terms,
                         const float* bias, float factor) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= rows * columns) return;
  const size_t i = index / columns;
  const size_t j = index % columns;
  float sum = 0;
  for (size_t k = 0; k < terms; ++k) sum += a[i * terms + k] * b[j * terms + k];
  const float z = sum + bias[j];
  c[index] = factor * z / (1 + expf(-z));
}

extern "C" void solution(const float* input_matrix, const float* weight_matrix, const float* bias,
                         float scaling_factor, float* output, size_t batch_size, size_t in_features,
                         size_t out_features) {
  const size_t count = batch_size * out_features;
  const unsigned blocks = (unsigned)((count + 255) / 256);
  multiply<<<blocks, 256>>>(input_matrix, weight_matrix, output, batch_size, out_features, in_features, bias,
                            scaling_factor);
}
