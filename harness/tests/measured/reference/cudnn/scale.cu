// A baseline that calls no library, so that it runs on every device.
__global__ void scale(const float* in, float* out, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + in[i];
}

extern "C" void solution(const float* in, float* out, size_t n) { scale<<<1, 256>>>(in, out, n); }
