// RMS normalisation over the features, the plain way: one thread for each position of a sample.
#include <cuda_runtime.h>

__global__ void rms_norm(const float* x, float* y, size_t samples, size_t features, size_t positions) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= samples * positions) return;
  const size_t start = index / positions * features * positions + index % positions;
  float squares = 0;
  for (size_t f = 0; f < features; ++f) squares += x[start + f * positions] * x[start + f * positions];
  const float rms = sqrtf(squares / features + 1e-5f);
  for (size_t f = 0; f < features; ++f) y[start + f * positions] = x[start + f * positions] / rms;
}

extern "C" void solution(const float* X, float* Y, size_t B, size_t F, size_t D1, size_t D2) {
  const size_t count = B * D1 * D2;
  rms_norm<<<(unsigned)((count + 255) / 256), 256>>>(X, Y, B, F, D1 * D2);
}
