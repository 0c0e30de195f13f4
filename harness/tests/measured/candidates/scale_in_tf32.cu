// kgrade: precision tf32
__global__ void scale(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  scale<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, out, n);
}
