// Halves and doubles every element `steps` times. The factors are arguments, so that the compiler cannot see
// that they cancel; since they are powers of two, they cancel exactly.
__global__ void stretch(const float* in, float* out, size_t n, size_t steps, float down, float up) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  for (size_t step = 0; step < steps; ++step) value = value * down * up;
  out[i] = value;
}

// When nvbench measures, the stream is nvbench's.
extern "C" void launch(cudaStream_t stream, const float* in, float* out, size_t n, size_t steps) {
  stretch<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n, steps, 0.5f, 2.0f);
}

extern "C" void solution(const float* in, float* out, size_t n, size_t steps) { launch(0, in, out, n, steps); }
